// Predictions of a row, step by step, and scores on many rows.

import { firstStates } from "./engine_encoding.js";
import { linkOutputs, predictedClass } from "./engine_links.js";
import { excite, held, netInput, step } from "./engine_map.js";
import { settle } from "./engine_settling.js";

const MAX_STATE = 1 - 1e-9; // largest |2 state - 1| of a clamped output: at 1 the excitation would be infinite
const BLOCK_ROWS = 64;
const SMALLEST = Number.EPSILON; // lower bound of probabilities, so that one confident error does not dominate the mean

/** Return the states at every step, and the outputs: probabilities, values, or the attractor of a hand-made map. */
export function run(model, row, clamp = {}) {
  if (model.kind === "map") {
    const settled = settle(model, firstStates(model, row), clamp);
    return { states: settled.path, outputs: settled.mean, settled };
  }
  const { first, follow } = held(model, firstStates(model, row), clamp);
  const states = [first];
  while (states.length <= model.depth) states.push(follow(states.at(-1)));
  return { states, outputs: linkOutputs(model.link, heldNet(model, states.at(-2), clamp)) };
}

/** Return the excitation of the outputs in the last step; that of a clamped output is derived from its state. */
function heldNet(model, before, clamp) {
  const net = lastNet(model, before);
  for (const [concept, state] of Object.entries(clamp)) {
    const k = Number(concept) - model.firstOutput;
    if (k >= 0) net[k] = Math.atanh(Math.min(Math.max(2 * state - 1, -MAX_STATE), MAX_STATE));
  }
  return net;
}

/** Return the excitation of the outputs in the last step, from the states before it. */
export function lastNet(model, before, points = 1) {
  return excite(model, netInput(model, before, points, model.firstOutput), points, model.firstOutput);
}

const sampleOutputs = new WeakMap();

/** Return the outputs of many rows; those of the sample of the model are cached. */
export function outputsOf(model, rows) {
  if (rows !== model.rows) return computed(model, rows);
  if (!sampleOutputs.has(model)) sampleOutputs.set(model, computed(model, rows));
  return sampleOutputs.get(model);
}

function computed(model, rows) {
  return outputsOfStates(model, rows.map((row) => firstStates(model, row)), linkOutputs);
}

/** Apply a function of the link to many initial states, computed in blocks. */
export function outputsOfStates(model, firsts, read) {
  const result = [];
  for (let from = 0; from < firsts.length; from += BLOCK_ROWS) {
    const block = firsts.slice(from, from + BLOCK_ROWS);
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

/** Return scores on the rows with known targets: accuracy and log loss, or R² and mean absolute error. */
export function score(model, rows, answers) {
  if (model.kind === "map" || !answers?.some((answer) => answer !== null)) return null;
  const known = [...rows.keys()].filter((r) => answers[r] !== null);
  const outputs = outputsOf(model, rows);
  const predictions = known.map((r) => outputs[r]), truth = known.map((r) => answers[r]);
  const scores = model.kind === "classifier" ? classScore(predictions, truth) : valueScore(predictions, truth);
  return { n: known.length, ...scores };
}

function classScore(predictions, truth) {
  const hits = predictions.filter((outputs, r) => predictedClass(outputs) === truth[r]).length;
  const losses = predictions.map((outputs, r) => {
    return -Math.log(Math.min(Math.max(outputs[truth[r]], SMALLEST), 1 - SMALLEST));
  });
  return { accuracy: hits / predictions.length, logLoss: mean(losses) };
}

/** Return the means over targets, as scikit-learn does. */
function valueScore(predictions, truth) {
  const targets = Array.from(predictions[0], (_, k) => {
    const center = mean(truth.map((values) => values[k]));
    const errors = predictions.map((outputs, r) => truth[r][k] - outputs[k]);
    const mse = mean(errors.map((x) => x * x)), variance = mean(truth.map((values) => (values[k] - center) ** 2));
    return { r2: variance > 0 ? 1 - mse / variance : mse > 0 ? 0 : 1, mae: mean(errors.map(Math.abs)) };
  });
  return { r2: mean(targets.map((target) => target.r2)), mae: mean(targets.map((target) => target.mae)) };
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * Return the flow through each edge of `model.edges` in the step after `at`, relative to a typical row,
 * or to the steady state of a hand-made map.
 */
export function flows(model, row, at, clamp = {}) {
  const { states } = run(model, row, clamp);
  const reference = referenceStates(model);
  const now = states[Math.min(at, states.length - 1)], base = reference[Math.min(at, reference.length - 1)];
  return Float64Array.from(model.edges, ({ source, target }) => {
    return model.weights[target * model.n + source] * (now[source] - base[source]);
  });
}

const references = new WeakMap();

function referenceStates(model) {
  if (!references.has(model)) {
    references.set(model, model.kind === "map" ? [steadyState(model)] : meanTrajectory(model));
  }
  return references.get(model);
}

function steadyState(model) {
  return settle(model, model.middle, {}).mean;
}

function meanTrajectory(model) {
  const states = [model.baseline];
  while (states.length <= model.depth) states.push(step(model, states.at(-1)));
  return states;
}
