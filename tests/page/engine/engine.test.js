// Properties of the engine, on small models.

import assert from "node:assert/strict";
import { test } from "node:test";

import { contributions, flip, flows, openModel, run, scenario, score, settle, withBias, withWeight } from "../../../src/cogmap/page/script/engine.js";
import { encodingDerivative, featuresOf, firstStates, numbersOf, statesOfFeatures } from "../../../src/cogmap/page/script/engine_encoding.js";
import { sensitivity, step } from "../../../src/cogmap/page/script/engine_map.js";

const pairs = (weights) => weights.map((row) => row.map((weight, j) => [j, weight]));
const KINDS = { input: 0, hidden: 1, output: 2 };

/** A number, a number read as words, a category and a yes or no; one hidden concept; three classes. */
function classifier(changes = {}) {
  const names = ["age", "dose is low", "dose is medium", "dose is high", "sex=f", "sex=m", "smokes", "hidden 1", "a", "b", "c"];
  const n = names.length;
  const weights = Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) => Math.sin(3 * i + 5 * j + 1) * 1.5));
  const number = (name, feature, more) => ({
    name, features: [feature], low: 0, high: 10, mean: 4, deviation: 2, whole: false, missing: false, ...more,
  });
  return openModel({
    kind: "classifier",
    concepts: names,
    kinds: [...Array(7).fill(KINDS.input), KINDS.hidden, ...Array(3).fill(KINDS.output)],
    weights: pairs(weights),
    bias: weights.map((row) => 0.5 - sum(row) / 2), // undecided where all else is
    slope: 2,
    activation: "sigmoid",
    depth: 3,
    n_outputs: 3,
    outputs: ["a", "b", "c"],
    link: { kind: "softmax", gain: 6 },
    scaling: "spread",
    features: [
      { inputs: [0], center: 4, unit: 2 },
      { inputs: [1, 2, 3], values: [1, 3, 7] },
      { inputs: [4], center: 0.6, unit: 0.5 },
      { inputs: [5], center: 0.4, unit: 0.5 },
      { inputs: [6], center: 0.3, unit: 0.45 },
    ],
    mean: [4, 3, 0.6, 0.4, 0.3],
    columns: [
      number("age", 0, { whole: true }),
      number("dose", 1),
      { name: "sex", one_hot: true, features: [2, 3], choices: ["f", "m"], rare: ["x"], deviations: [0.5, 0.5], mean: "f", missing: true },
      number("smokes", 4, { choices: ["no", "yes"], high: 1, mean: 0.3, deviation: 0.45, whole: true }),
    ],
    sample: { columns: [], answers: null, numbers: [] },
    edges: [{ source: 0, target: 8 }, { source: 6, target: 9 }],
    ...changes,
  });
}

function handMade(weights, changes = {}) {
  const n = weights.length;
  return openModel({
    kind: "map",
    concepts: weights.map((_, i) => `C${i + 1}`),
    kinds: Array(n).fill(KINDS.output),
    weights: pairs(weights),
    bias: Array(n).fill(0),
    slope: 1,
    activation: "logistic",
    n_outputs: n,
    outputs: weights.map((_, i) => `C${i + 1}`),
    features: weights.map((_, i) => ({ inputs: [i] })),
    columns: weights.map((_, i) => ({ name: `C${i + 1}`, features: [i], low: 0, high: 1, mean: 0.5 })),
    sample: { columns: [], answers: null, numbers: [] },
    edges: [],
    ...changes,
  });
}

const near = (one, other, within = 1e-12) => assert.ok(Math.abs(one - other) <= within, `${one} is not ${other}`);
const sum = (values) => [...values].reduce((total, value) => total + value, 0);
const ROW = [6, 5, "m", 1];

test("memberships of neighbouring terms add up to 1, and outer terms saturate", () => {
  const model = classifier();
  for (const dose of [-5, 1, 2, 3, 4.5, 7, 100]) near(sum(firstStates(model, [4, dose, "f", 0]).slice(1, 4)), 1);
  assert.deepEqual([...firstStates(model, [4, 100, "f", 0]).slice(1, 4)], [0, 0, 1]);
});

test("missing values and unseen choices are undecided", () => {
  const states = firstStates(classifier(), [null, NaN, "z", ""]);
  assert.deepEqual([...states], Array(11).fill(0.5));
});

test("a rare choice counts as the last", () => {
  const model = classifier();
  assert.deepEqual(firstStates(model, [4, 3, "x", 0]), firstStates(model, [4, 3, "m", 0]));
});

test("derivatives of initial states agree with finite differences", () => {
  for (const scaling of ["spread", "range", "none"]) {
    const model = classifier({ scaling });
    const features = featuresOf(model, numbersOf(model, ROW));
    const exact = encodingDerivative(model, features);
    model.features.forEach((feature, f) => {
      const [low, high] = [-1e-6, 1e-6].map((by) => statesOfFeatures(model, features.map((x, k) => (k === f ? x + by : x))));
      for (const i of feature.inputs) near((high[i] - low[i]) / 2e-6, exact[i], 1e-7);
    });
  }
});

test("sensitivities of smooth activations agree with finite differences", () => {
  for (const activation of ["sigmoid", "logistic", "tanh", "saturation"]) {
    const model = handMade([[0, 0.3], [0.2, 0]], { activation, slope: [0.7, 1.3] });
    const states = [0.4, 0.6];
    const [low, high] = [-1e-6, 1e-6].map((by) => step(withBias(model, 0, by), states));
    near((high[0] - low[0]) / 2e-6, sensitivity(model, step(model, states))[0], 1e-8);
  }
});

test("probabilities add up to 1, and the number of steps is the depth", () => {
  const { states, outputs } = run(classifier(), ROW);
  near(sum(outputs), 1);
  assert.equal(states.length, 4);
});

test("a clamped concept has its state at every step, also an output", () => {
  const model = classifier();
  const { states, outputs } = run(model, ROW, { 7: 0.9, 8: 1 });
  for (const each of states) assert.deepEqual([each[7], each[8]], [0.9, 1]);
  assert.ok(outputs[0] > run(model, ROW).outputs[0]);
});

test("editing a weight creates another model and leaves the first unchanged", () => {
  const model = classifier();
  const before = run(model, ROW).outputs;
  const edited = withWeight(model, 8, 0, 9);
  assert.notDeepEqual(run(edited, ROW).outputs, before);
  assert.deepEqual(run(model, ROW).outputs, before);
  assert.deepEqual(run(withWeight(edited, 8, 0, model.weights[8 * model.n]), ROW).outputs, before);
});

test("contributions add up, also for an edited map, a map of depth 1, and a steep map", () => {
  const variants = [classifier(), withBias(withWeight(classifier(), 9, 2, -4), 7, 1), classifier({ depth: 1 }), classifier({ slope: 40 })];
  for (const model of variants) {
    const { base, outputs, values } = contributions(model, ROW);
    assert.deepEqual(outputs.map((x) => Math.round(x * 1e12)), run(model, ROW).outputs.map((x) => Math.round(x * 1e12)));
    outputs.forEach((said, k) => near(base[k] + sum(values.map((value) => value[k])), said, 1e-8));
  }
});

test("a column without outgoing edges contributes nothing", () => {
  const model = classifier();
  let cut = model;
  for (let i = 0; i < model.n; i++) cut = withWeight(cut, i, 0, 0);
  assert.deepEqual([...contributions(cut, ROW).values[0]].map(Math.abs), [0, 0, 0]);
});

test("the prediction flips, and locked columns do not change", () => {
  const model = classifier();
  const now = run(model, ROW).outputs;
  for (let to = 0; to < 3; to++) {
    const answer = flip(model, ROW, { to, locked: [0] });
    const { outputs } = run(model, answer.row);
    assert.equal(outputs.indexOf(Math.max(...outputs)), to);
    assert.equal(answer.row[0], ROW[0]);
    for (const { column, from, to: after } of answer.changes) assert.deepEqual([from, after], [ROW[column], answer.row[column]]);
  }
  const other = flip(model, ROW);
  const { outputs } = run(model, other.row);
  assert.notEqual(outputs.indexOf(Math.max(...outputs)), now.indexOf(Math.max(...now)));
});

test("no change is found if all columns are locked or missing, and none is made if the goal is already reached", () => {
  const model = classifier();
  assert.equal(flip(model, ROW, { locked: [0, 1, 2, 3] }), null);
  assert.equal(flip(model, [null, null, null, null]), null);
  const { outputs } = run(model, ROW);
  assert.deepEqual(flip(model, ROW, { to: outputs.indexOf(Math.max(...outputs)) }).changes, []);
});

test("after a flip integers are integers and categories have one of their choices", () => {
  const model = classifier();
  for (let dose = 0; dose < 8; dose++) {
    const answer = flip(model, [6, dose, "m", 0]);
    assert.ok(Number.isInteger(answer.row[0]) && ["f", "m"].includes(answer.row[2]) && [0, 1].includes(answer.row[3]));
  }
});

test("a map scores 1 on its own predictions, and rows without a target do not count", () => {
  const model = classifier();
  const rows = [[1, 1, "f", 0], [9, 7, "m", 1], [4, 3, null, 0], ROW];
  const answers = rows.map((row) => run(model, row).outputs).map((outputs) => outputs.indexOf(Math.max(...outputs)));
  const found = score(model, rows, [...answers.slice(0, 3), null]);
  assert.deepEqual([found.n, found.accuracy], [3, 1]);
  assert.equal(score(model, rows, null), null);
});

test("flows are 0 for the mean of the data", () => {
  const model = classifier({ mean: [4, 3, 1, 0, 0] });
  for (const flow of flows(model, [4, 3, "f", 0], 2)) near(flow, 0);
  assert.ok(flows(model, ROW, 0).every((flow) => flow !== 0));
});

test("hand-made maps reach a fixed point, a cycle, or neither", () => {
  assert.equal(settle(handMade([[0, 0], [1, 0]]), [0.2, 0.9]).kind, "fixed point");
  const flipFlop = handMade([[0, -1], [1, 0]], { activation: "trivalent" });
  const cycle = settle(flipFlop, [1, 0]);
  assert.deepEqual([cycle.kind, cycle.period], ["cycle", 4]);
  const slow = handMade([[0.9999, 0], [0, 0]], { activation: "saturation", bias: [0, 0] });
  assert.equal(settle(slow, [1, 0], {}, 20).kind, "neither");
});

test("a scenario without clamped concepts changes nothing, and kept concepts keep their state", () => {
  const lake = handMade([[0, 0, 0], [-0.5, 0, 0.8], [0, -0.6, 0]], { slope: 2 });
  for (const change of scenario(lake, {}).change) near(change, 0, 1e-6);
  const kept = scenario(lake, { 1: 1 }, { start: [0.9, null, null], keep: [0] });
  assert.deepEqual([kept.before[0], kept.after[0], kept.after[1]], [0.9, 0.9, 1]);
});
