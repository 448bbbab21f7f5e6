// Links from output concepts to predictions: class probabilities or values. A link takes the excitation of the outputs
// in the last step, where the state of an output is 0.5 + 0.5 tanh(net): states saturated at 1 have lost the
// confidence.

import { expit } from "./engine_encoding.js";

/** Return the prediction: a probability per class, or a value per target. */
export function linkOutputs(link, net) {
  if (link.kind === "log-odds") return Float64Array.of(expit(-2 * net[0]), expit(2 * net[0]));
  if (link.kind === "softmax") return softmax(net.map((x) => 0.5 * link.gain * Math.tanh(x)));
  if (link.kind === "ordered") {
    const { atLeast, atMost } = logOdds(link, net);
    return Float64Array.from(link.factors, (factor, k) => expit(atLeast[k]) * expit(atMost[k]) * factor);
  }
  if (link.kind === "labels") return net.map((x) => expit(2 * x));
  if (link.kind === "log") {
    const value = (x, k) => link.mean[k] * Math.exp(link.spread[k] * x);
    return net.map((x, k) => Math.min(Math.max(value(x, k), link.low[k]), link.high[k]));
  }
  const values = standardized(link, net);
  return link.kind === "sorted" ? values.sort() : values;
}

/** Return the log-odds of being at least and at most in each of several ordered classes. */
function logOdds({ low, high }, [z]) {
  return {
    atLeast: low.map((threshold) => (threshold === null ? Infinity : 2 * (z - threshold))),
    atMost: high.map((threshold) => (threshold === null ? Infinity : 2 * (threshold - z))),
  };
}

function logExpit(x) {
  return Math.min(x, 0) - Math.log1p(Math.exp(-Math.abs(x)));
}

function standardized(link, net) {
  const most = Number.MAX_VALUE;
  return net.map((x, k) => Math.min(Math.max(link.mean[k] + link.deviation[k] * x, -most), most));
}

/** Return the derivative of `linkOutputs`, one row per prediction, one column per output concept. */
export function linkDerivative(link, net) {
  if (link.kind === "log-odds") {
    const slope = 2 * expit(2 * net[0]) * expit(-2 * net[0]);
    return [Float64Array.of(-slope), Float64Array.of(slope)];
  }
  if (link.kind === "softmax") {
    const p = linkOutputs(link, net);
    const slopes = net.map((x) => 0.5 * link.gain * (1 - Math.tanh(x) ** 2));
    return Array.from(p, (own, k) => slopes.map((slope, l) => own * ((k === l ? 1 : 0) - p[l]) * slope));
  }
  if (link.kind === "ordered") {
    const p = linkOutputs(link, net);
    return decisionDerivative(link, net).map(([slope], k) => Float64Array.of(p[k] * slope));
  }
  let slopes = net.map((_, k) => link.deviation[k]);
  let order = [...net.keys()];
  if (link.kind === "labels") slopes = net.map((x) => 2 * expit(2 * x) * expit(-2 * x));
  if (link.kind === "log") {
    const inside = (value, k) => value > link.low[k] && value < link.high[k];
    slopes = linkOutputs(link, net).map((value, k) => (inside(value, k) ? value * link.spread[k] : 0));
  }
  if (link.kind === "sorted") {
    const values = standardized(link, net);
    order = order.sort((k, l) => values[k] - values[l]);
  }
  return order.map((k) => net.map((_, l) => (k === l ? slopes[k] : 0)));
}

/** Return the decision values: log-odds of the second of two classes, a score per class, or the values. */
export function decisionValues(link, net) {
  if (link.kind === "log-odds") return Float64Array.of(2 * net[0]);
  if (link.kind === "softmax") {
    const scores = net.map((x) => link.gain * (0.5 + 0.5 * Math.tanh(x)));
    return scores.length === 2 ? Float64Array.of(scores[1] - scores[0]) : scores;
  }
  if (link.kind === "ordered") {
    const { atLeast, atMost } = logOdds(link, net);
    return Float64Array.from(link.factors, (factor, k) => logExpit(atLeast[k]) + logExpit(atMost[k]) + Math.log(factor));
  }
  return linkOutputs(link, net);
}

/** Return the derivative of `decisionValues`, in the layout of `linkDerivative`. */
export function decisionDerivative(link, net) {
  if (link.kind === "log-odds") return [Float64Array.of(2)];
  if (link.kind === "softmax") {
    const slopes = net.map((x) => 0.5 * link.gain * (1 - Math.tanh(x) ** 2));
    if (net.length === 2) return [Float64Array.of(-slopes[0], slopes[1])];
    return Array.from(slopes, (slope, k) => slopes.map((_, l) => (k === l ? slope : 0)));
  }
  if (link.kind === "ordered") {
    const { atLeast, atMost } = logOdds(link, net);
    return link.factors.map((_, k) => Float64Array.of(2 * (expit(-atLeast[k]) - expit(-atMost[k]))));
  }
  return linkDerivative(link, net);
}

/** Return the index of the predicted class, as `predict` does. */
export function predictedClass(outputs) {
  if (outputs.length === 2) return outputs[1] >= outputs[0] ? 1 : 0;
  return outputs.indexOf(Math.max(...outputs));
}

function softmax(scores) {
  const most = Math.max(...scores);
  const powers = scores.map((score) => Math.exp(score - most));
  const total = powers.reduce((sum, power) => sum + power, 0);
  return powers.map((power) => power / total);
}
