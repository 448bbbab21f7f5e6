// Why a map says what it says: integrated gradients along the line, in first states, from the mean of the training data to
// a row, as `cogmap.explain` computes them. Each part of the line has to add up to the difference between its ends; a
// part that does not is halved. What enters the first step is linear along the line, so its weights can wait to the end.

import { firstStates } from "./engine_encoding.js";
import { linkDerivative, linked } from "./engine_links.js";
import { activate, netInput, pulledBack, sensitivity, step } from "./engine_map.js";
import { lastNet } from "./engine_run.js";

const EXACT = 1e-11; // how well shares add up
const ROUNDING = 64 * Number.EPSILON;
const HALVINGS = 40; // a part that was halved more often is as good as a point
const MOST_PARTS = 64; // where so many do not add up, steps are so steep that rounding is in the way
const N_PLACES = 20;

/**
 * Return what each column contributes to each output: `base` and `outputs` are what the map says about the mean and about
 * the row, and base + the sum over columns of `values[column][output]` is outputs.
 */
export function contributions(model, row) {
  const reading = readingOf(model);
  const start = model.baseline, end = firstStates(model, row);
  const origin = entered(model, start), after = entered(model, end);
  const change = after.map((net, i) => net - origin[i]);
  const shares = meanPulls(reading, origin, change).map((pull) => {
    if (model.depth === 1) pull = pull.map((d, o) => d * model.factor[model.firstOutput + o]);
    return pulledBack(model, pull, 1, model.n - pull.length).map((d, i) => d * (end[i] - start[i]));
  });
  const values = model.columns.map(({ inputs }) => {
    const read = shares.map((share) => inputs.reduce((sum, i) => sum + share[i], 0));
    const first = reading.first ? [-read.reduce((sum, value) => sum + value, 0)] : [];
    return Float64Array.of(...first, ...read);
  });
  return { base: said(model, origin), outputs: said(model, after), values };
}

/** Return which outputs are read, and in what they are counted: of probabilities, which add up to 1, all but the first. */
function readingOf(model) {
  const first = model.kind === "classifier" ? 1 : 0;
  const units = model.link.deviation ?? Array(model.outputs.length).fill(1);
  return { model, first, units: units.slice(first) };
}

/** Return what enters the first step, in the form in which a link wants it if that is also the last. */
function entered(model, states) {
  return model.depth === 1 ? lastNet(model, states) : netInput(model, states);
}

/** Return the states after every step but the last. */
function statesAfter(model, net, points) {
  const states = [];
  for (let t = 1; t < model.depth; t++) {
    states.push(t === 1 ? activate(model, net.slice(), points) : step(model, states.at(-1), points));
  }
  return states;
}

/** Return the outputs, from what enters the first step. */
function said(model, net) {
  return linked(model.link, lastFrom(model, statesAfter(model, net, 1), net, 1));
}

function lastFrom(model, states, net, points) {
  return states.length ? lastNet(model, states.at(-1), points) : net;
}

/** Return for each output the mean derivative along the line with respect to what enters the first step. */
function meanPulls(reading, origin, change) {
  const { model, first, units } = reading;
  const at = (where) => said(model, origin.map((net, i) => net + where * change[i])).slice(first);
  const totals = units.map(() => new Float64Array(origin.length));
  let parts = [{ low: 0, width: 1, before: at(0), after: at(1) }];
  for (let halvings = 0; parts.length; halvings++) {
    const enough = halvings === HALVINGS || parts.length > MOST_PARTS;
    const bad = [];
    for (const part of parts) {
      const pulls = pullsOn(reading, origin, change, part);
      const good = pulls.every((pull, k) => {
        const addedUp = part.width * pull.reduce((sum, d, i) => sum + d * change[i], 0);
        const allowed = EXACT * units[k] + ROUNDING * Math.max(Math.abs(part.before[k]), Math.abs(part.after[k]));
        return Math.abs(addedUp - (part.after[k] - part.before[k])) <= allowed;
      });
      if (good || enough) pulls.forEach((pull, k) => pull.forEach((d, i) => (totals[k][i] += part.width * d)));
      else bad.push(part);
    }
    parts = bad.flatMap(({ low, width, before, after }) => {
      const half = width / 2, between = at(low + half);
      return [{ low, width: half, before, after: between }, { low: low + half, width: half, before: between, after }];
    });
  }
  return totals;
}

/** Return for each output the mean derivative on a part of the line, from all places on it and all outputs at once. */
function pullsOn({ model, first, units }, origin, change, part) {
  const { at, weight } = PLACES;
  const places = at.length, points = units.length * places;
  const net = new Float64Array(origin.length * places);
  for (let i = 0; i < origin.length; i++) {
    for (let p = 0; p < places; p++) net[i * places + p] = origin[i] + (part.low + at[p] * part.width) * change[i];
  }
  const states = statesAfter(model, net, places);
  let pull = lastPull(model, lastFrom(model, states, net, places), first, units.length);
  // Through the last step, which is read as a link wants it.
  if (states.length) pull.forEach((d, k) => (pull[k] = d * model.factor[model.firstOutput + Math.floor(k / points)]));
  for (const each of states.reverse()) {
    pull = pulledBack(model, pull, points, model.n - pull.length / points);
    const slopes = sensitivity(model, each);
    for (let i = 0, k = 0; i < model.n; i++) {
      for (let o = 0; o < units.length; o++) {
        for (let p = 0; p < places; p++) pull[k++] *= slopes[i * places + p];
      }
    }
  }
  return units.map((_, o) => {
    return Float64Array.from(origin, (_, i) => {
      let mean = 0;
      for (let p = 0; p < places; p++) mean += weight[p] * pull[i * points + o * places + p];
      return mean;
    });
  });
}

/** Return the derivatives of what is said with respect to what enters the outputs, outputs within concepts. */
function lastPull(model, net, first, count) {
  const places = PLACES.at.length, points = count * places;
  const pull = new Float64Array((net.length / places) * points);
  for (let p = 0; p < places; p++) {
    const here = net.filter((_, i) => i % places === p);
    linkDerivative(model.link, here).slice(first).forEach((of, o) => {
      of.forEach((d, concept) => (pull[concept * points + o * places + p] = d));
    });
  }
  return pull;
}

/** Return the places of Gauss and Legendre on the line from 0 to 1, and how much each counts. */
function gaussPlaces(count) {
  const at = new Float64Array(count), weight = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    let x = Math.cos((Math.PI * (i + 0.75)) / (count + 0.5)), slope = 1;
    for (let round = 0; round < 8; round++) {
      let before = 0, here = 1;
      for (let k = 1; k <= count; k++) [before, here] = [here, ((2 * k - 1) * x * here - (k - 1) * before) / k];
      slope = (count * (before - x * here)) / (1 - x * x);
      x -= here / slope;
    }
    at[i] = (1 - x) / 2;
    weight[i] = 1 / ((1 - x * x) * slope * slope);
  }
  return { at, weight };
}

const PLACES = gaussPlaces(N_PLACES);
