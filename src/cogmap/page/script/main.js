// The page: opens the model, keeps the state, computes what follows from it once, and lets each part show its share.

import { contributions, flows, openModel, run, scenario, unpacked, withWeight } from "./engine.js";
import { make, setAttribute, setText } from "./dom.js";
import { createStore, firstState, heldEdits, withEdit } from "./state.js";
import { fromFragment, hash, toFragment } from "./fragment.js";
import { answerPart } from "./answer.js";
import { comparePart } from "./compare.js";
import { editsPart } from "./edits_part.js";
import { flipPart } from "./flip_part.js";
import { mapPart } from "./map_part.js";
import { reasonsPart } from "./reasons.js";
import { rowsPart } from "./rows.js";
import { sharePart } from "./share.js";
import { startPart } from "./start.js";
import { themePart } from "./theme.js";
import { valuesPart } from "./values.js";

const text = document.getElementById("payload").textContent;
const model = openModel(await unpacked(text));
const seal = hash(text);
const first = firstState(model);
const page = { model, first, ...factsOf(model) };

// ---- state -----------------------------------------------------------------------------------------------------

function restored() {
  try {
    const state = fromFragment(location.hash, first, seal, model);
    page.notice("");
    return state;
  } catch (problem) {
    page.notice(problem.message);
    return first;
  }
}

page.notice = (words) => {
  const notice = document.getElementById("notice");
  setText(notice, words);
  setAttribute(notice, "hidden", words === "");
};
const store = createStore(restored());
page.store = store;

page.edit = (target, source, value, continues = false) => {
  store.change(withEdit(store.state, target, source, value, gesture));
  gesture = continues;
};
let gesture = false;
page.endGesture = () => (gesture = false);
page.undo = () => store.change({ done: Math.max(store.state.done - 1, 0) });
page.redo = () => store.change({ done: Math.min(store.state.done + 1, store.state.edits.length) });

// ---- what follows from it --------------------------------------------------------------------------------------

let edited = { edits: null, model };

/** The learned map with the edits of a state; the same object as long as these are the same. */
function editedModel(state) {
  const edits = heldEdits(state);
  if (JSON.stringify(edits) !== JSON.stringify(edited.edits)) {
    edited = { edits, model: edits.reduce((now, [target, source, value]) => withWeight(now, target, source, value), model) };
  }
  return edited;
}

function resultOf(now, row, clamp) {
  if (model.kind !== "map") return { result: run(now, row, clamp) };
  const { before, outcome } = scenario(now, clamp);
  return { result: { states: outcome.path, outputs: outcome.mean, settled: outcome }, before };
}

function viewOf(state) {
  const { edits, model: now } = editedModel(state);
  const { result, before } = resultOf(now, state.row, state.clamp);
  const last = result.states.length - 1;
  const step = Math.min(state.step ?? last, last);
  const near = state.chosen === null ? [] : model.edges.filter((edge) => edge.target === state.chosen || edge.source === state.chosen);
  return {
    state, edits, model: now, result, before, step,
    playing: page.playing === true,
    reasons: model.kind === "map" ? null : contributions(now, state.row),
    flows: state.flow ? flows(now, state.row, Math.max(step - 1, 0), state.clamp) : null,
    neighbours: new Set(near.flatMap((edge) => [edge.target, edge.source])),
    other() {
      const { row, clamp } = state.other;
      return { row, clamp, ...resultOf(now, row, clamp), reasons: model.kind === "map" ? null : contributions(now, row) };
    },
  };
}

page.runRow = (row) => run(page.view.model, row, store.state.clamp);
page.lastStep = () => page.view.result.states.length - 1;

/** Facts about the model that no state changes. */
function factsOf({ kind, edges, columns, concepts, weights, n, graph, answers, rows, numbers, link, outputs }) {
  const strength = new Map(edges.map((edge) => [edge.target * n + edge.source, edge.strength]));
  const boxed = new Set(graph.boxes.map((box) => box.concept));
  const all = () => {
    const found = [];
    for (let place = 0; place < n * n; place++) {
      if (weights[place] !== 0) found.push({ target: Math.floor(place / n), source: place % n, strength: strength.get(place) ?? null, size: Math.abs(weights[place]) });
    }
    return found.sort((a, b) => (b.strength ?? -1) - (a.strength ?? -1) || b.size - a.size);
  };
  let everything = null;
  const allInfluences = () => (everything ??= all());
  const sent = (column) => edges.filter((edge) => column.inputs.includes(edge.source)).reduce((sum, edge) => sum + edge.strength, 0);
  const range = (k) => {
    const known = (answers ?? []).filter((answer) => answer !== null).map((answer) => answer[k]);
    return known.length > 1 ? { low: Math.min(...known), high: Math.max(...known) } : { low: link.mean[k] - 2 * link.deviation[k], high: link.mean[k] + 2 * link.deviation[k] };
  };
  return {
    rows,
    rowName: (r) => String(numbers[r]),
    outputs: outputs.map((name, k) => ({ name, ...(kind === "regressor" ? range(k) : {}) })),
    importance: columns.map((column) => column.importance ?? sent(column)),
    allInfluences,
    influencesOf: (i, into) => allInfluences().filter((edge) => (into ? edge.target : edge.source) === i),
    countEdges: weights.reduce((sum, weight, place) => sum + (weight !== 0 && Math.floor(place / n) !== place % n), 0),
    usuallyShown: edges.filter((edge) => edge.drawn).length,
    mostShown: edges.length,
    rangeOfState: (i) => ({ low: model.middle[i] - model.reach[i], high: model.middle[i] + model.reach[i] }),
    shownConcepts: [...concepts.keys()].filter((i) => (kind === "map" ? boxed.has(i) : concepts[i].kind === "output")),
  };
}

// ---- parts -----------------------------------------------------------------------------------------------------

page.goTo = (id) => {
  document.getElementById(`${id}-heading`).focus();
  document.getElementById(id).scrollIntoView({ block: "start" });
};

const learned = model.kind !== "map";
setText(document.getElementById("title"), model.title);
page.view = viewOf(store.state);
const parts = {
  theme: themePart(page),
  answer: answerPart(page),
  values: valuesPart(page),
  start: startPart(page),
  ...(learned ? { reasons: reasonsPart(page) } : {}),
  map: mapPart(page),
  ...(learned ? { flip: flipPart(page) } : {}),
  compare: comparePart(page),
  ...(learned && page.rows.length ? { rows: rowsPart(page) } : {}),
  edits: editsPart(page),
  share: sharePart(page),
};
for (const section of document.querySelectorAll("main > section")) if (!(section.id in parts)) section.remove();
const names = { answer: "Answer", reasons: "Why", map: "Map", flip: "What if", compare: "Compare", rows: "Rows", edits: "Changes", share: "Share" };
document.getElementById("contents").append(...Object.entries(names).filter(([id]) => id in parts)
  .map(([id, name]) => make("button", { type: "button", onclick: () => page.goTo(id) }, name)));
document.getElementById("notes").append(...[...model.notes, "This page computes the map itself and asks no network for anything."].map((note) => make("p", {}, note)));

page.refresh = () => {
  page.view = viewOf(store.state);
  for (const update of Object.values(parts)) update(page.view);
};
store.listen(() => {
  page.refresh();
  remember();
});

// ---- address ---------------------------------------------------------------------------------------------------

let pending = null;
page.address = () => location.href.replace(/#.*$/s, "") + hashOf(store.state);
function hashOf(state) {
  const fragment = toFragment(state, first, seal);
  return fragment ? `#${fragment}` : "";
}
/** Browsers allow only so many changes of the address in a time. */
function remember() {
  clearTimeout(pending);
  pending = setTimeout(() => history.replaceState(null, "", page.address()), 200);
}
addEventListener("hashchange", () => store.change(restored()));
addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z" || event.target.matches("input[type=text], input[type=search], textarea")) return;
  (event.shiftKey ? page.redo : page.undo)();
  event.preventDefault();
});

page.refresh();
setAttribute(document.getElementById("main"), "hidden", null);
setAttribute(document.body, "data-ready", "");
