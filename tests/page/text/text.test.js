// Properties of the text formats of the page: numbers, tables, addresses, edits.

import assert from "node:assert/strict";
import { test } from "node:test";

import { readCell } from "../../../src/cogmap/page/script/columns.js";
import { parseCsv, pastedRow, writeCsv } from "../../../src/cogmap/page/script/csv.js";
import { fromFragment, toFragment } from "../../../src/cogmap/page/script/fragment.js";
import { firstState, heldEdits, withEdit } from "../../../src/cogmap/page/script/state.js";
import { toEdits } from "../../../src/cogmap/page/script/edits_part.js";
import {
  amount,
  className,
  entryNumber,
  fixed,
  localFigure,
  number,
  ofHundred,
  percent,
  setNumbers,
  short,
  signed,
} from "../../../src/cogmap/page/script/words.js";

const model = {
  kind: "classifier",
  n: 3,
  concepts: [{ name: "age" }, { name: "ward" }, { name: "well" }],
  columns: [
    { name: "age", low: 18, high: 90, mean: 51.237, whole: false },
    { name: "ward", one_hot: true, choices: ["heart, lungs", 'the "old"', "other"], rare: ["kitchen"], mean: "other" },
    { name: "smokes", choices: ["never", "often"], words: { no: 0, yes: 1 }, mean: 0.6 },
  ],
  outputs: ["well", "ill"],
  rows: [],
  weights: Float64Array.from([0, 0.5, 0, 0, 0, 0, 1, -1, 0]),
};

test("numbers are short and signed", () => {
  const written = [0, -0.5, 1234.5, 0.00001234, 5e9, 1 / 3, 2024, 3e-20].map((value) => number(value));
  assert.deepEqual(written, ["0", "−0.5", "1235", "0.0000123", "5,000,000,000", "0.333", "2024", "3·10^-20"]);
  assert.equal(signed(2), "+2");
  assert.equal(fixed(-0.0001, 2), "0.00");
  assert.equal(number(null), "unknown");
});

test("numbers have the decimal mark of the table, and text boxes no separators", () => {
  setNumbers({ decimal: ",", card: { errors: { median: 3.4 } } });
  assert.equal(number(15750.25), "15.750");
  assert.equal(number(0.5), "0,5");
  assert.equal(fixed(-0.0001, 2), "0,00");
  assert.equal(entryNumber(15750.25), "15750,3");
  assert.deepEqual(readCell(entryNumber(15750.25), model.columns[0]), { value: 15750.3 });
  assert.equal(amount(9.9854, "€"), "10,0\u00a0€"); // no finer than a tenth of the error
  assert.equal(localFigure("15,750.5"), "15.750,5");
  setNumbers({ decimal: "." });
  assert.equal(number(15750.25), "15,750");
  assert.equal(ofHundred(0.748) + ofHundred(0.996) + ofHundred(1), "7599.6100");
});

test("edits are saved with what they change", () => {
  const map = { ...model, title: "t", target: "ill", held: [0], slope: [2, 2, 2] };
  const text = toEdits(map, { edits: [[2, 0, 0.25]], state: { clamp: { 1: 0.5 } } }, "A", "why", "2026-01-01");
  assert.deepEqual(JSON.parse(text).arrows, [{ source: "age", target: "well", weight: 0.25, was: 1, slope: 2 }]);
  assert.deepEqual(JSON.parse(text).held, [{ concept: "ward", state: 0.5 }]);
});

test("percentages are never rounded to certainty", () => {
  assert.equal(percent(0.99996), "over 99.9\u00a0%");
  assert.equal(percent(0.00001), "under 0.1\u00a0%");
  assert.equal(percent(1), "100.0\u00a0%");
  assert.equal(percent(0.42), "42\u00a0%");
});

test("names are shortened in the middle and have no line breaks", () => {
  assert.equal(short("a\nb\u202ec"), "a b c");
  assert.equal(short("x".repeat(500), 20).length, 20);
  assert.equal(className("3"), "class 3");
  assert.equal(className("ill"), "ill");
});

test("CSV survives a round trip", () => {
  const rows = [["a", "b,c", 'say "x"'], ["1", " blank ", "two\nlines"], ["", "-1e-7", "ü"]];
  assert.deepEqual(parseCsv(writeCsv(rows)), rows);
});

test("cells are parsed by the kind of their column", () => {
  const [age, ward, smokes] = model.columns;
  assert.deepEqual(readCell("37,5", age), { value: 37.5 });
  assert.deepEqual(readCell("−3", age), { value: -3 });
  assert.deepEqual(readCell("NaN", age), { value: null });
  assert.deepEqual(readCell("kitchen", ward), { value: "other" });
  assert.deepEqual(readCell("often", smokes), { value: 1 });
  assert.deepEqual(readCell("No", smokes), { value: 0 });
  assert.ok(readCell("x".repeat(500), ward).problem.length < 200);
  for (const [text, column] of [["old", age], ["Infinity", age], ["garden", ward], ["7", smokes]]) {
    assert.match(readCell(text, column).problem, new RegExp(`“${column.name}”`));
  }
});

test("a pasted row has all values or names some", () => {
  assert.deepEqual(pastedRow('44,"heart, lungs",never', model.columns), { row: [44, "heart, lungs", 0] });
  assert.deepEqual(pastedRow("smokes\tage\nyes\t50\n", model.columns), { row: [50, null, 1] });
  assert.match(pastedRow("44", model.columns).problem, /1 values.*3 columns/);
  assert.match(pastedRow(" \n", model.columns).problem, /Nothing/);
});

test("a state survives a round trip through its fragment, and damaged fragments are rejected", () => {
  const first = firstState(model);
  const state = {
    ...first, row: [0.1 + 0.2, 'the "old"', null], clamp: { 1: 0.25 }, edits: [[2, 0, -1e-7]], done: 1, chosen: 2,
    other: { row: [1, null, 0], clamp: {} }, sort: [3, -1], theme: "dark", goal: 1, locked: [0, 2],
  };
  const fragment = toFragment(state, first, "seal");
  assert.deepEqual(fromFragment(`#${fragment}`, first, "seal", model), state);
  assert.deepEqual(fromFragment("", first, "seal", model), first);
  assert.equal(toFragment(first, first, "seal"), "");
  assert.throws(() => fromFragment(fragment, first, "another seal", model), /damaged/);
  for (let place = 0; place < fragment.length; place++) {
    const harmed = fragment.slice(0, place) + fragment.slice(place + 1);
    assert.throws(() => fromFragment(harmed, first, "seal", model), /^Error: The link to this page is damaged[^\n]*$/);
  }
});

test("states that do not fit the model are rejected even with a valid checksum", () => {
  const first = firstState(model);
  const wrong = [
    { row: [1] }, { row: ["a", null, 0] }, { row: [1, "garden", 0] }, { row: [1, null, "often"] }, { clamp: { 9: 1 } }, { clamp: [] }, { edits: [[0, 1]] }, { edits: [[0, 5, 1]] },
    { done: 2 }, { chosen: 3 }, { chosen: 0.5 }, { zoom: -1 }, { locked: [3] }, { other: 5 }, { sort: [1, 2] },
    { order: "size" }, { theme: "blue" }, { output: 2 }, { goal: 7 }, { flow: 1 }, { top: -1 },
  ];
  for (const changes of wrong) {
    const fragment = toFragment({ ...first, ...changes }, first, "seal");
    assert.throws(() => fromFragment(fragment, first, "seal", model), /damaged/, JSON.stringify(changes));
  }
});

test("a gesture is one edit, undone edits are dropped, and restoring a weight is not an edit", () => {
  let state = firstState(model);
  state = { ...state, ...withEdit(state, 0, 1, 0.7, false) };
  state = { ...state, ...withEdit(state, 0, 1, 0.8, true) };
  assert.deepEqual(state.edits, [[0, 1, 0.8]]);
  state = { ...state, ...withEdit(state, 2, 0, 3, false) };
  state = { ...state, done: 1, ...withEdit({ ...state, done: 1 }, 2, 1, 4, false) };
  assert.deepEqual(heldEdits(state, model), [[0, 1, 0.8], [2, 1, 4]]);
  state = { ...state, ...withEdit(state, 0, 1, 0.5, false) };
  assert.deepEqual(heldEdits(state, model), [[2, 1, 4]]);
});
