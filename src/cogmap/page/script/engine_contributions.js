// Contributions by integrated gradients along the line, in initial states, from a typical row to a row,
// as in `cogmap.explain`. On each subinterval the attributions have to add up to the difference between its ends;
// otherwise it is halved. The net input of the first step is linear along the line, so its weights are applied last.

import { firstStates } from "./engine_encoding.js";
import { linkDerivative, linkOutputs } from "./engine_links.js";
import { activate, backward, netInput, sensitivity, step } from "./engine_map.js";
import { lastNet } from "./engine_run.js";

const EXACT = 1e-11; // tolerance of the sum of attributions
const ROUNDING = 64 * Number.EPSILON;
const MAX_HALVINGS = 40; // after these a subinterval is as good as a point
const MAX_SUBINTERVALS = 64; // open ones; with more, the map is so steep that rounding errors dominate
const N_NODES = 20;

/**
 * Return the contribution of each column to each output, `values[column][output]`, with the outputs of the mean,
 * `base`, and of the row, `outputs`: base plus the sum of values over columns is outputs.
 */
export function contributions(model, row) {
  const reading = readingOf(model);
  const start = model.baseline, end = firstStates(model, row);
  const origin = firstNet(model, start), after = firstNet(model, end);
  const change = after.map((net, i) => net - origin[i]);
  const attributions = meanGradients(reading, origin, change).map((gradient) => {
    if (model.depth === 1) gradient = gradient.map((d, o) => d * model.factor[model.firstOutput + o]);
    return backward(model, gradient, 1, model.n - gradient.length).map((d, i) => d * (end[i] - start[i]));
  });
  const values = model.columns.map(({ inputs }) => {
    const rest = attributions.map((attribution) => inputs.reduce((sum, i) => sum + attribution[i], 0));
    const first = reading.first ? [-rest.reduce((sum, value) => sum + value, 0)] : [];
    return Float64Array.of(...first, ...rest);
  });
  return { base: outputsFrom(model, origin), outputs: outputsFrom(model, after), values };
}

/** Return the outputs to explain and their units: all but the first of probabilities, which add up to 1. */
function readingOf(model) {
  const first = model.kind === "classifier" ? 1 : 0;
  const units = model.link.deviation ?? Array(model.outputs.length).fill(1);
  return { model, first, units: units.slice(first) };
}

/** Return the net input of the first step; the excitation of the outputs if it is also the last. */
function firstNet(model, states) {
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

/** Return the outputs, from the net input of the first step. */
function outputsFrom(model, net) {
  return linkOutputs(model.link, lastFrom(model, statesAfter(model, net, 1), net, 1));
}

function lastFrom(model, states, net, points) {
  return states.length ? lastNet(model, states.at(-1), points) : net;
}

/** Return, for each output, the mean gradient along the line with respect to the net input of the first step. */
function meanGradients(reading, origin, change) {
  const { model, first, units } = reading;
  const at = (position) => outputsFrom(model, origin.map((net, i) => net + position * change[i])).slice(first);
  const totals = units.map(() => new Float64Array(origin.length));
  let intervals = [{ low: 0, width: 1, before: at(0), after: at(1) }];
  for (let halvings = 0; intervals.length; halvings++) {
    const atLimit = halvings === MAX_HALVINGS || intervals.length > MAX_SUBINTERVALS;
    const inaccurate = [];
    for (const interval of intervals) {
      const gradients = gradientsOn(reading, origin, change, interval);
      const accurate = gradients.every((gradient, k) => {
        const total = interval.width * gradient.reduce((sum, d, i) => sum + d * change[i], 0);
        const before = interval.before[k], after = interval.after[k];
        const maxError = EXACT * units[k] + ROUNDING * Math.max(Math.abs(before), Math.abs(after));
        return Math.abs(total - (after - before)) <= maxError;
      });
      if (!accurate && !atLimit) inaccurate.push(interval);
      else gradients.forEach((gradient, k) => gradient.forEach((d, i) => (totals[k][i] += interval.width * d)));
    }
    intervals = inaccurate.flatMap(({ low, width, before, after }) => {
      const half = width / 2, between = at(low + half);
      return [{ low, width: half, before, after: between }, { low: low + half, width: half, before: between, after }];
    });
  }
  return totals;
}

/** Return, for each output, the mean gradient on a subinterval; all nodes and outputs are computed at once. */
function gradientsOn({ model, first, units }, origin, change, interval) {
  const { at, weight } = RULE;
  const nodes = at.length, points = units.length * nodes;
  const net = new Float64Array(origin.length * nodes);
  for (let i = 0; i < origin.length; i++) {
    for (let p = 0; p < nodes; p++) {
      net[i * nodes + p] = origin[i] + (interval.low + at[p] * interval.width) * change[i];
    }
  }
  const states = statesAfter(model, net, nodes);
  let gradient = outputGradient(model, lastFrom(model, states, net, nodes), first, units.length);
  // Through the last step: from excitation to net input.
  if (states.length) {
    gradient.forEach((d, k) => (gradient[k] = d * model.factor[model.firstOutput + Math.floor(k / points)]));
  }
  for (const each of states.reverse()) {
    gradient = backward(model, gradient, points, model.n - gradient.length / points);
    const slopes = sensitivity(model, each);
    for (let i = 0, k = 0; i < model.n; i++) {
      for (let o = 0; o < units.length; o++) {
        for (let p = 0; p < nodes; p++) gradient[k++] *= slopes[i * nodes + p];
      }
    }
  }
  return units.map((_, o) => {
    return Float64Array.from(origin, (_, i) => {
      let mean = 0;
      for (let p = 0; p < nodes; p++) mean += weight[p] * gradient[i * points + o * nodes + p];
      return mean;
    });
  });
}

/** Return the derivatives of the outputs with respect to the excitation of the output concepts, concept by concept. */
function outputGradient(model, net, first, count) {
  const nodes = RULE.at.length, points = count * nodes;
  const gradient = new Float64Array((net.length / nodes) * points);
  for (let p = 0; p < nodes; p++) {
    const here = net.filter((_, i) => i % nodes === p);
    linkDerivative(model.link, here).slice(first).forEach((of, o) => {
      of.forEach((d, concept) => (gradient[concept * points + o * nodes + p] = d));
    });
  }
  return gradient;
}

/** Return the Gauss-Legendre nodes on [0, 1] and their weights. */
function gaussLegendre(count) {
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

const RULE = gaussLegendre(N_NODES);
