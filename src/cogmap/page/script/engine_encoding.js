// Encoding of rows: columns become features, features become states of input concepts; other concepts are undecided.

import { codeOf, isMissing, setFeatures } from "./columns.js";

const UNDECIDED = 0.5;

const OUTERMOST = [-1, 2]; // states of values outside the training range are clipped to this range
const STEEPNESS = 0.75; // of the logistic function, per standard deviation from the mean

/** Return one number per column, NaN if missing; a category is encoded as the index of its choice. */
export function numbersOf(model, row) {
  return Float64Array.from(model.columns, (column, c) => codeOf(column, row[c]));
}

/** Return the features from one number per column; categories are one-hot encoded. */
export function featuresOf(model, numbers) {
  const features = new Float64Array(model.features.length).fill(NaN);
  for (let c = 0; c < numbers.length; c++) {
    if (!Number.isNaN(numbers[c])) setFeatures(model.columns[c], numbers[c], features);
  }
  return features;
}

/** Return the initial states of a row. For a hand-made map these are the row itself. */
export function firstStates(model, row) {
  return model.kind === "map"
    ? Float64Array.from(model.middle, (middle, i) => (isMissing(row[i]) ? middle : Number(row[i])))
    : statesOfFeatures(model, featuresOf(model, numbersOf(model, row)));
}

/** Return the initial states of features. */
export function statesOfFeatures(model, features) {
  const states = new Float64Array(model.n).fill(UNDECIDED);
  for (let f = 0; f < features.length; f++) {
    const feature = model.features[f], value = features[f];
    if (Number.isNaN(value)) continue;
    const { inputs, values } = feature;
    for (let w = 0; w < inputs.length; w++) {
      if (inputs[w] < 0) continue; // no concept
      states[inputs[w]] = values ? truth(value, values, w) : scaled(value, feature, model.scaling);
    }
  }
  return states;
}

function scaled(value, { center, unit, tail }, scaling) {
  if (scaling === "none") return value;
  const relative = ((tail ? bent(value, tail) : value) - center) / unit;
  return scaling === "spread" ? expit(relative * STEEPNESS) : Math.min(Math.max(relative, OUTERMOST[0]), OUTERMOST[1]);
}

/** Return the value of a feature with a long tail on its logarithmic scale. */
export function bent(value, { origin, unit }) {
  const distance = (value - origin) / unit;
  return distance > 0 ? Math.log1p(distance) : distance;
}

/** Return the value of a feature, given its value on its logarithmic scale. */
export function unbent(value, { origin, unit }) {
  return origin + unit * (value > 0 ? Math.expm1(value) : value);
}

export function bentDerivative(value, { origin, unit }) {
  return 1 / (unit * (1 + Math.max((value - origin) / unit, 0)));
}

/** Return the degree of membership in term w, which is 1 at values[w] and 0 at its neighbours. */
function truth(value, values, w) {
  const here = values[w];
  if (value === here) return 1;
  const other = value < here ? w - 1 : w + 1;
  if (other < 0 || other >= values.length) return 1;
  return Math.max(1 - (value - here) / (values[other] - here), 0);
}

/** Return the derivative of the state of each input with respect to its feature, 0 if that is missing. */
export function encodingDerivative(model, features) {
  const result = new Float64Array(model.n);
  const set = (i, derivative) => {
    if (i >= 0) result[i] = derivative; // -1 is no concept
  };
  model.features.forEach((feature, f) => {
    const value = features[f];
    if (Number.isNaN(value)) return;
    if (feature.values) {
      const left = feature.values.findLastIndex((at) => at <= value);
      if (left < 0 || left === feature.values.length - 1) return;
      const steepness = 1 / (feature.values[left + 1] - feature.values[left]);
      set(feature.inputs[left], -steepness);
      set(feature.inputs[left + 1], steepness);
    } else {
      set(feature.inputs[0], scaledDerivative(value, feature, model.scaling));
    }
  });
  return result;
}

function scaledDerivative(value, feature, scaling) {
  if (scaling === "none") return 1;
  const state = scaled(value, feature, scaling);
  if (scaling === "spread") {
    const steepness = feature.tail ? bentDerivative(value, feature.tail) : 1;
    return (state * (1 - state) * STEEPNESS * steepness) / feature.unit;
  }
  return state > OUTERMOST[0] && state < OUTERMOST[1] ? 1 / feature.unit : 0;
}

export function expit(x) {
  if (x >= 0) return 1 / (1 + Math.exp(-x));
  const e = Math.exp(x);
  return e / (1 + e);
}
