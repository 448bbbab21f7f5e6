// What a map says about a row, step by step, and how well it does on many.

import { firstStates } from "./engine_encoding.js";
import { answered, linked } from "./engine_links.js";
import { excite, held, netInput, step } from "./engine_map.js";
import { settle } from "./engine_settling.js";

const SURELY = 1 - 1e-9; // the outermost state of an output that is held: beyond, a value would be infinite
const ROWS_AT_ONCE = 64;
const SMALLEST = Number.EPSILON; // a probability below counts as this: one sure mistake does not decide a mean

/** Return the states at every step, and the outputs: probabilities, values, or where a map by hand settles. */
export function run(model, row, clamp = {}) {
  if (model.kind === "map") {
    const settled = settle(model, firstStates(model, row), clamp);
    return { states: settled.path, outputs: settled.mean, settled };
  }
  const { first, follow } = held(model, firstStates(model, row), clamp);
  const states = [first];
  while (states.length <= model.depth) states.push(follow(states.at(-1)));
  return { states, outputs: linked(model.link, heldNet(model, states.at(-2), clamp)) };
}

/** Return what enters the outputs in the last step; that of one that is held is what would lead to its state. */
function heldNet(model, before, clamp) {
  const net = lastNet(model, before);
  for (const [concept, state] of Object.entries(clamp)) {
    const k = Number(concept) - model.firstOutput;
    if (k >= 0) net[k] = Math.atanh(Math.min(Math.max(2 * state - 1, -SURELY), SURELY));
  }
  return net;
}

/** Return what enters the outputs in the last step, from the states before it. */
export function lastNet(model, before, points = 1) {
  return excite(model, netInput(model, before, points, model.firstOutput), points, model.firstOutput);
}

const ofSample = new WeakMap();

/** Return the outputs of many rows; those of the rows that a model comes with are computed once. */
export function outputsOf(model, rows) {
  if (rows !== model.rows) return computed(model, rows);
  if (!ofSample.has(model)) ofSample.set(model, computed(model, rows));
  return ofSample.get(model);
}

function computed(model, rows) {
  return outputsOfStates(model, rows.map((row) => firstStates(model, row)), linked);
}

/** Return what a function of the link makes of many first states, computed a block at a time. */
export function outputsOfStates(model, firsts, read) {
  const result = [];
  for (let from = 0; from < firsts.length; from += ROWS_AT_ONCE) {
    const block = firsts.slice(from, from + ROWS_AT_ONCE);
    const points = block.length;
    let states = new Float64Array(model.n * points);
    for (let p = 0; p < points; p++) for (let i = 0; i < model.n; i++) states[i * points + p] = block[p][i];
    for (let t = 1; t < model.depth; t++) states = step(model, states, points);
    const net = lastNet(model, states, points);
    for (let p = 0; p < points; p++) {
      result.push(read(model.link, Float64Array.from({ length: model.n_outputs }, (_, k) => net[k * points + p])));
    }
  }
  return result;
}

/** Return how well the map does on rows with known answers: accuracy and log loss, or R² and mean absolute error. */
export function score(model, rows, answers) {
  if (model.kind === "map" || !answers?.some((answer) => answer !== null)) return null;
  const known = [...rows.keys()].filter((r) => answers[r] !== null);
  const outputs = outputsOf(model, rows);
  const said = known.map((r) => outputs[r]), right = known.map((r) => answers[r]);
  return { n: known.length, ...(model.kind === "classifier" ? classScore(said, right) : valueScore(said, right)) };
}

function classScore(said, right) {
  const hits = said.filter((outputs, r) => answered(outputs) === right[r]).length;
  const losses = said.map((outputs, r) => -Math.log(Math.min(Math.max(outputs[right[r]], SMALLEST), 1 - SMALLEST)));
  return { accuracy: hits / said.length, logLoss: mean(losses) };
}

/** Return the mean over targets of both, as scikit-learn does. */
function valueScore(said, right) {
  const targets = Array.from(said[0], (_, k) => {
    const middle = mean(right.map((answer) => answer[k]));
    const off = said.map((outputs, r) => right[r][k] - outputs[k]);
    const missed = mean(off.map((x) => x * x)), spread = mean(right.map((answer) => (answer[k] - middle) ** 2));
    return { r2: spread > 0 ? 1 - missed / spread : missed > 0 ? 0 : 1, mae: mean(off.map(Math.abs)) };
  });
  return { r2: mean(targets.map((target) => target.r2)), mae: mean(targets.map((target) => target.mae)) };
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * Return for each edge of `model.edges` what passes through it in the step after `at`, beyond what passes for the mean of
 * the training data; of a map by hand, beyond what passes where it rests.
 */
export function flows(model, row, at, clamp = {}) {
  const { states } = run(model, row, clamp);
  const there = usualStates(model);
  const here = states[Math.min(at, states.length - 1)], base = there[Math.min(at, there.length - 1)];
  return Float64Array.from(model.edges, ({ source, target }) => {
    return model.weights[target * model.n + source] * (here[source] - base[source]);
  });
}

const usual = new WeakMap();

function usualStates(model) {
  if (!usual.has(model)) usual.set(model, model.kind === "map" ? [steadyState(model)] : usualTrajectory(model));
  return usual.get(model);
}

function steadyState(model) {
  return settle(model, model.middle, {}).mean;
}

function usualTrajectory(model) {
  const states = [model.baseline];
  while (states.length <= model.depth) states.push(step(model, states.at(-1)));
  return states;
}
