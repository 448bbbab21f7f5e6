// The model of the page. It is immutable: editing a weight creates another model.

import { statesOfFeatures } from "./engine_encoding.js";
import { activationArrays, influencesOf } from "./engine_map.js";
import { bytesOf } from "./payload.js";

const KINDS = ["input", "hidden", "output"];

/** Create a model from the payload. */
export function openModel(payload) {
  const n = payload.concepts.length;
  const spread = (value) => (Array.isArray(value) ? value : Array(n).fill(value));
  const slope = Float64Array.from(spread(payload.slope));
  const held = payload.held ?? [];
  const model = {
    ...payload,
    n,
    held,
    concepts: payload.concepts.map((name, i) => ({ name, kind: KINDS[payload.kinds[i]] })),
    columns: payload.columns.map((column) => ({ ...column, inputs: inputsOf(payload, column) })),
    weights: matrix(payload.weights, n),
    bias: Float64Array.from(payload.bias),
    slope,
    ...activationArrays(spread(payload.activation), slope, held),
    firstOutput: n - payload.n_outputs,
    rows: transposed(payload.sample.columns),
    answers: payload.sample.answers,
    numbers: payload.sample.numbers,
    unusual: payload.sample.unusual ?? null,
  };
  model.influences = influencesOf(model.weights, n, held);
  model.baseline = model.kind === "map" ? null : statesOfFeatures(model, Float64Array.from(model.mean, (x) => x ?? NaN));
  return model;
}

/** Return a model with another weight from concept j to concept i. */
export function withWeight(model, i, j, value) {
  const weights = model.weights.slice();
  weights[i * model.n + j] = value;
  return { ...model, weights, influences: influencesOf(weights, model.n, model.held) };
}

/** Return a model with another bias of concept i. */
export function withBias(model, i, value) {
  const bias = model.bias.slice();
  bias[i] = value;
  return { ...model, bias };
}

/** Return the concepts of a column; none has the number -1. */
function inputsOf(payload, column) {
  return column.features.flatMap((feature) => payload.features[feature].inputs.filter((i) => i >= 0));
}

/** Return the matrix row by row, from the bytes of all weights, or from the nonzero weights of each row. */
function matrix(weights, n) {
  if (typeof weights === "string") return new Float64Array(bytesOf(weights).buffer);
  const result = new Float64Array(n * n);
  weights.forEach((row, i) => row.forEach(([j, weight]) => (result[i * n + j] = weight)));
  return result;
}

function transposed(columns) {
  return columns.length ? columns[0].map((_, r) => columns.map((column) => column[r])) : [];
}
