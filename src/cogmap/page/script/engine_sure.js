// How sure a prediction is: intervals of values and sets of classes from held-out errors, and the novelty of a row.
// They repeat `statistics/conformal.py` and `statistics/novelty.py`.

import { featuresOf, numbersOf } from "./engine_encoding.js";
import { bytesOf } from "./payload.js";

const MOST_CHANGE = 1.5; // of the logarithm of the typical error
const FARTHEST = 1e100; // of a scaled value, so that squares do not overflow

/**
 * Return the lower and upper end of the interval of each predicted value, or null if the model does not know. Several
 * quantiles have one interval.
 */
export function intervals(model, outputs) {
  const { spread, sides, quantile } = model.sure ?? {};
  const least = model.link.kind === "log" ? 0 : -Infinity;
  if (sides) {
    const last = outputs.length - sides[0].length; // 0 unless there are several quantiles
    const ends = sides[0].map((below, k) => [outputs[k] - below, outputs[k + last] + sides[1][k]]);
    return ends.map(([low, high]) => [Math.min(low, high), Math.max(low, high)]);
  }
  if (!spread) return null;
  return Array.from(outputs, (value, k) => {
    const [base, linear, absolute, center, scale] = spread[k];
    const z = (value - center) / scale;
    const change = Math.min(Math.max(linear * z + absolute * Math.abs(z), -MOST_CHANGE), MOST_CHANGE);
    const half = Math.exp(base + change) * quantile[k];
    return [Math.max(value - half, least), value + half];
  });
}

/** Return the indices of the classes in the set, the likeliest first, or null if the model does not know. */
export function classSet(model, outputs) {
  return model.sure ? likely(outputs, model.sure.quantile[0]) : null;
}

/** Return for each label which of 0 and 1 are possible, the likelier first, or null if the model does not know. */
export function labelSets(model, outputs) {
  if (!model.sure || model.link.kind !== "labels") return null;
  return Array.from(outputs, (p, k) => likely([1 - p, p], model.sure.quantile[k]));
}

function likely(probabilities, quantile) {
  const least = Math.min(1 - quantile, Math.max(...probabilities));
  return [...probabilities.keys()]
    .filter((k) => probabilities[k] >= least)
    .sort((a, b) => probabilities[b] - probabilities[a]);
}

/** Return the share of training rows at least as far from their mean as a row, or null if the model does not know. */
export function pValue(model, row) {
  if (!model.distances) return null;
  const { center, scale, precision, quantiles, n_rows: nRows } = opened(model.distances);
  const features = featuresOf(model, numbersOf(model, row));
  const scaled = (value, f) => Math.min(Math.max((value - center[f]) / scale[f], -FARTHEST), FARTHEST);
  const z = Float64Array.from(features, (value, f) => (Number.isNaN(value) ? 0 : scaled(value, f)));
  const joint = precision.length > z.length;
  let distance = 0;
  for (let i = 0; i < z.length; i++) {
    let product = joint ? 0 : z[i] * precision[i];
    for (let j = 0; joint && j < z.length; j++) product += z[j] * precision[j * z.length + i];
    distance += product * z[i];
  }
  let nearer = quantiles.findIndex((quantile) => quantile >= distance);
  nearer = (nearer < 0 ? quantiles.length : nearer) / quantiles.length;
  return (1 + (1 - nearer) * nRows) / (1 + nRows);
}

const read = new WeakMap();

/** Return the arrays of the distances, decoded once. */
function opened(distances) {
  if (!read.has(distances)) {
    const decoded = { ...distances };
    for (const name of ["center", "scale", "precision", "quantiles"]) {
      decoded[name] = new Float64Array(bytesOf(distances[name]).buffer);
    }
    read.set(distances, decoded);
  }
  return read.get(distances);
}
