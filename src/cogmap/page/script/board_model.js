// Computations of the board: states, scenarios and sensitivity, with the engine of the page.

import { activationArrays, influencesOf } from "./engine_map.js";
import { settle } from "./engine_settling.js";
import { Problem } from "./board_text.js";

/** Return the weights of a document, row by row: [target * n + source]. */
export function weightsOf(doc) {
  const n = doc.concepts.length,
    place = new Map(doc.concepts.map(({ id }, i) => [id, i]));
  const weights = new Float64Array(n * n);
  for (const { source, target, weight } of doc.edges) weights[place.get(target) * n + place.get(source)] = weight;
  return weights;
}

/** Return a map of concepts as the engine computes it, under an inference rule. */
export function engineModel({ weights, bias, slopes, activations, held = [], rule = "kosko" }) {
  const n = bias.length;
  const [W, b] = ruled(weights, bias, n, rule, held);
  const arrays = activationArrays(activations, slopes, held);
  if (rule === "rescaled" && arrays.middle.some((middle, i) => middle - arrays.reach[i] !== 0))
    throw new Problem("noRescaled");
  return {
    kind: "map",
    n,
    weights: W,
    bias: b,
    slope: slopes,
    activations,
    held,
    ...arrays,
    influences: influencesOf(W, n, held),
  };
}

/** Express an inference rule by weights and biases, as `cogmap.maps.rewriting.with_rule` does. */
function ruled(weights, bias, n, rule, held) {
  if (rule === "kosko") return [weights, Float64Array.from(bias)];
  const W = weights.slice();
  for (let i = 0; i < n; i++) W[i * n + i] += held.includes(i) ? 0 : 1;
  if (rule === "modified") return [W, Float64Array.from(bias)];
  const b = Float64Array.from(
    bias,
    (value, i) => value - W.subarray(i * n, (i + 1) * n).reduce((sum, w) => sum + w, 0),
  );
  return [W.map((weight) => 2 * weight), b];
}

export function modelOf(doc, weights = weightsOf(doc)) {
  return engineModel({
    weights,
    bias: doc.concepts.map(({ bias }) => bias),
    slopes: Float64Array.from(doc.concepts, ({ slope }) => slope),
    activations: doc.concepts.map(({ activation }) => activation),
    held: doc.concepts.flatMap(({ held }, i) => (held ? [i] : [])),
    rule: doc.rule,
  });
}

/** Return the places of the concepts that keep their state: held and external ones, or those without incoming arrows. */
export function driversOf(doc, weights = weightsOf(doc)) {
  const n = doc.concepts.length;
  const external = doc.concepts.flatMap(({ details, held }, i) => (held || details.external === true ? [i] : []));
  if (external.length) return external;
  return doc.concepts.flatMap((_, i) =>
    weights.subarray(i * n, (i + 1) * n).every((weight) => weight === 0) ? [i] : [],
  );
}

/** Return the clamp of a scenario by place. */
export function clampOf(doc, scenario) {
  return Object.fromEntries(
    doc.concepts.flatMap(({ id }, i) => (id in scenario.clamp ? [[i, scenario.clamp[id]]] : [])),
  );
}

/** Settle without a clamp, as `FuzzyCognitiveMap.settle` does. */
export function baselineOf(model, keep) {
  return settle(model, model.middle, Object.fromEntries(keep.map((i) => [i, model.middle[i]])));
}

/** Clamp some concepts and follow the others from the steady state. */
export function outcomeOf(model, baseline, keep, clamp) {
  const from = baseline.states.at(-1);
  const outcome = settle(model, from, { ...Object.fromEntries(keep.map((i) => [i, from[i]])), ...clamp });
  return { outcome, after: outcome.mean, change: outcome.mean.map((state, i) => state - baseline.mean[i]) };
}

/** Return the results of all scenarios of a document; `baseline` is null for a map without concepts. */
export function runAll(doc) {
  if (!doc.concepts.length) return { model: null, keep: [], baseline: null, results: [] };
  const weights = weightsOf(doc);
  const model = modelOf(doc, weights);
  const keep = doc.keep ? driversOf(doc, weights) : [];
  const baseline = baselineOf(model, keep);
  const results = doc.scenarios.map((scenario) => outcomeOf(model, baseline, keep, clampOf(doc, scenario)));
  return { model, keep, baseline, results };
}

/** Return the progress of a scenario: the sum of the changes in the desired directions. */
export function progressOf(doc, scenario, change) {
  return doc.concepts.reduce((sum, { id }, i) => sum + (scenario.desired[id] ?? 0) * change[i], 0);
}

/** Return for each arrow by how much the progress of a scenario would differ without it, largest first. */
export function sensitivity(doc, scenario) {
  const all = weightsOf(doc),
    n = doc.concepts.length,
    place = new Map(doc.concepts.map(({ id }, i) => [id, i]));
  const keep = doc.keep ? driversOf(doc, all) : [];
  const clamp = clampOf(doc, scenario);
  const progress = (weights) => {
    const model = modelOf(doc, weights);
    return progressOf(doc, scenario, outcomeOf(model, baselineOf(model, keep), keep, clamp).change);
  };
  const whole = progress(all);
  return doc.edges
    .filter(({ weight }) => weight)
    .map((edge) => {
      const without = all.slice();
      without[place.get(edge.target) * n + place.get(edge.source)] = 0;
      return { edge, effect: whole - progress(without) };
    })
    .sort((a, b) => Math.abs(b.effect) - Math.abs(a.effect));
}
