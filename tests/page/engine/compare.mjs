// Compute the cases from Python with the engine and print the largest differences.

import fs from "node:fs";

const engine = await import(process.argv[2]);
const { classSet, contributions, flip, intervals, labelSets, openModel, pValue, run, scenario, score, unpacked } = engine;
const cases = JSON.parse(fs.readFileSync(process.argv[3], "utf8"));
const model = openModel(await unpacked(cases.payload));
const apart = {};

function compare(name, ours, theirs) {
  if (theirs === null || typeof theirs === "number") {
    const difference = Math.abs(ours - theirs);
    apart[name] = Math.max(apart[name] ?? 0, Number.isNaN(difference) ? Infinity : difference);
  } else if (ours.length === theirs.length) {
    theirs.forEach((value, i) => compare(name, ours[i], value));
  } else {
    apart[name] = Infinity;
  }
}

cases.rows?.forEach((row, r) => {
  const { states, outputs } = run(model, row);
  const found = contributions(model, row);
  compare("states", states, cases.states[r]);
  compare("outputs", outputs, cases.outputs[r]);
  compare("contributions", found.values, cases.contributions[r]);
  compare("base", found.base, cases.base);
});
cases.sure?.forEach(({ row, set, sets, ends, p }) => {
  const { outputs } = run(model, row);
  if (set) compare("set", classSet(model, outputs), set);
  if (sets) compare("set", labelSets(model, outputs), sets);
  if (ends) compare("interval", intervals(model, outputs), ends);
  compare("p-value", pValue(model, row), p);
});
cases.flips?.forEach(({ row, to, size }) => compare("flip", flip(model, row, { to }).size, size));
if (cases.score) compare("score", Object.values(score(model, model.rows, model.answers)), cases.score);
cases.runs?.forEach(({ start, clamp, states }) => {
  const own = run(model, start, clamp).states;
  compare("states", own.slice(0, states.length), states.slice(0, own.length));
});
cases.scenarios?.forEach(({ clamp, keep, before, after, kind, steps }) => {
  const found = scenario(model, clamp, { keep });
  compare("before", found.before, before);
  compare("after", found.after, after);
  compare("steps", found.outcome.steps, steps);
  compare("kind", found.outcome.kind === kind ? 0 : 1, 0);
});
console.log(JSON.stringify(apart));
