// Entry point: opens the model, keeps the state, computes the view once per change, and updates every part.

import { openModel, run, unpacked } from "./engine.js";
import { make, setAttribute, setText } from "./dom.js";
import { createStore, firstState, withEdit } from "./state.js";
import { factsOf } from "./facts.js";
import { signOf, viewer } from "./view.js";
import { fromFragment, hash, toFragment } from "./fragment.js";
import { setNumbers } from "./words.js";
import { answerPart } from "./answer.js";
import { changedPart } from "./changed.js";
import { comparePart } from "./compare.js";
import { editsPart } from "./edits_part.js";
import { flipPart } from "./flip_part.js";
import { forecastPart } from "./forecast_part.js";
import { mapPart } from "./map_part.js";
import { qualityPart } from "./quality.js";
import { reasonsPart } from "./reasons.js";
import { rowsPart } from "./rows.js";
import { sharePart } from "./share.js";
import { startPart } from "./start.js";
import { themePart } from "./theme.js";
import { valuesPart } from "./values.js";

const text = document.getElementById("payload").textContent;
const model = openModel(await unpacked(text));
setNumbers(model);
// The file as it was opened, from which a copy in another state is made.
const untouched = document.documentElement.cloneNode(true);
untouched.querySelector("body > script:last-child").remove();
const saved = document.getElementById("state")?.textContent ?? "";
const seal = hash(text);
const first = firstState(model);
const page = { model, first, signOf, ...factsOf(model) };

// ---- state -----------------------------------------------------------------------------------------------------

function restored() {
  try {
    const state = fromFragment(location.hash || saved, first, seal, model);
    page.notice("");
    return state;
  } catch (error) {
    page.notice(error.message);
    return first;
  }
}

page.notice = (message) => {
  const notice = document.getElementById("notice");
  setText(notice, message);
  setAttribute(notice, "hidden", message === "");
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

// ---- view ------------------------------------------------------------------------------------------------------

const viewOf = viewer(page);
page.runRow = (row) => run(page.view.model, row, store.state.clamp);
page.lastStep = () => page.view.result.states.length - 1;

// ---- parts -----------------------------------------------------------------------------------------------------

page.goTo = (id) => {
  document.getElementById(`${id}-heading`).focus();
  document.getElementById(id).scrollIntoView({ block: "start" });
};

const learned = model.kind !== "map";
setText(document.getElementById("title"), model.title);
setAttribute(document.documentElement, "data-kind", model.kind);
page.view = viewOf(store.state);
const parts = {
  theme: themePart(page),
  ...(model.forecast ? { forecast: forecastPart(page) } : {}),
  answer: answerPart(page),
  values: valuesPart(page),
  start: startPart(page),
  changed: changedPart(page),
  ...(learned ? { reasons: reasonsPart(page), quality: qualityPart(page) } : {}),
  map: mapPart(page),
  ...(learned ? { flip: flipPart(page) } : {}),
  compare: comparePart(page),
  ...(learned && page.rows.length ? { rows: rowsPart(page) } : {}),
  edits: editsPart(page),
  share: sharePart(page),
};
for (const section of document.querySelectorAll("main > section")) if (!(section.id in parts)) section.remove();
const names = {
  forecast: "Forecast",
  answer: "Answer",
  reasons: "Why",
  quality: "How good",
  map: "Map",
  flip: "What if",
  compare: "Compare",
  rows: "Rows",
  edits: "Changes",
  share: "Share",
};
document.getElementById("contents").append(
  ...Object.entries(names)
    .filter(([id]) => id in parts)
    .map(([id, name]) => make("button", { type: "button", onclick: () => page.goTo(id) }, name)),
);
document
  .getElementById("notes")
  .append(
    ...[...model.notes, "This page computes everything in the browser and makes no network requests."].map((note) =>
      make("p", {}, note),
    ),
  );

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
/** Return the file of this page, which opens in the present state. */
page.copy = () => {
  const copy = untouched.cloneNode(true);
  copy.querySelector("#state")?.remove();
  const state = copy.ownerDocument.createElement("script");
  state.type = "text/plain";
  state.id = "state";
  state.textContent = hashOf(store.state);
  copy.querySelector("#payload").before(state);
  return `<!doctype html>\n${copy.outerHTML}`;
};
function hashOf(state) {
  const fragment = toFragment(state, first, seal);
  return fragment ? `#${fragment}` : "";
}
/** Delay updates of the address: browsers limit their rate. */
function remember() {
  clearTimeout(pending);
  pending = setTimeout(() => {
    try {
      history.replaceState(null, "", page.address());
    } catch {
      // Inside another page the address may be read-only; the link can still be copied.
    }
  }, 200);
}
addEventListener("hashchange", () => store.change(restored()));
addEventListener("keydown", (event) => {
  if (
    !(event.ctrlKey || event.metaKey) ||
    event.key.toLowerCase() !== "z" ||
    event.target.matches("input[type=text], input[type=search], textarea")
  )
    return;
  (event.shiftKey ? page.redo : page.undo)();
  event.preventDefault();
});

setAttribute(document.getElementById("main"), "hidden", null);
page.refresh();
setAttribute(document.body, "data-ready", "");
