// Entry point of the board: restores the document, keeps it saved, and updates the parts that are visible.

import { button, make, setAttribute, setText } from "./dom.js";
import { unpacked } from "./payload.js";
import { EMPTY, fromMap, invalid } from "./board_doc.js";
import { filesPart } from "./board_files.js";
import { drawGraph, shownEdges } from "./board_graph.js";
import { handsOn } from "./board_hands.js";
import { boxOf, positionsOf, tidy, usuallyShown } from "./board_layout.js";
import { numbersPart } from "./board_numbers_part.js";
import { panelPart } from "./board_panel.js";
import { peoplePart } from "./board_people_part.js";
import { reportPart } from "./board_report.js";
import { scenariosPart } from "./board_scenarios.js";
import { autosave } from "./board_storage.js";
import { createBoard } from "./board_store.js";
import { listPart, matrixPart } from "./board_tables_view.js";
import { Problem, t, useTexts } from "./board_text.js";
import { themePart } from "./theme.js";

const payload = await unpacked(document.getElementById("payload").textContent);
useTexts(payload.texts);
const assigned = new Map(); // positions of concepts that the author has not placed, by id
let extra = { target: null, states: null, arrows: null }; // what the drawing shows beside the map

const app = {
  payload,
  /** Apply an action; tell why if it is not allowed. Returns whether it was applied. */
  act(action, gesture = null) {
    try {
      app.board.act(action, gesture);
      app.notice("");
      return true;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      app.notice(error.message);
      return false;
    }
  },
  notice(message) {
    const notice = document.getElementById("notice");
    setText(notice, message);
    setAttribute(notice, "hidden", message === "");
  },
  say: (message) => setText(document.getElementById("said"), message),
  snap: () => snapping.checked,
  title: () => String(app.board.doc.details.name ?? ""),
  positions: () => positionsOf(app.board.doc, assigned),
  edgeWeight: (source, target) =>
    app.board.doc.edges.find((edge) => edge.source === source && edge.target === target)?.weight ?? 0,
  /** Return an empty document. Ids go on, so that positions found for one map are never those of another. */
  emptyDoc: () => ({ ...EMPTY, next: app.board.doc.next }),
  /** Change what the drawing shows beside the map. */
  look(changes) {
    if (Object.entries(changes).every(([key, value]) => extra[key] === value)) return;
    extra = { ...extra, ...changes };
    if (app.board.ui.view === "map") app.graph.update(app.board.doc, app.board.ui, extra);
  },
  /** Lay out some concepts, or all, anew. */
  tidy(ids) {
    const { doc } = app.board;
    const chosen = doc.concepts.filter(({ id }) => ids.includes(id));
    const inside = doc.edges.filter(({ source, target }) => ids.includes(source) && ids.includes(target));
    const found = tidy(chosen, inside, ({ name }) => boxOf(name));
    const places = app.positions();
    const corner = (map) => [0, 1].map((axis) => Math.min(...ids.map((id) => map.get(id)[axis])));
    const [from, to] = [corner(found), ids.length === doc.concepts.length ? corner(found) : corner(places)];
    app.act({
      do: "move",
      to: Object.fromEntries(ids.map((id) => [id, [0, 1].map((k) => found.get(id)[k] - from[k] + to[k])])),
    });
    if (ids.length === doc.concepts.length) app.graph.fit();
  },
  reveal(id) {
    app.board.show({ view: "map", concepts: [id], edge: null, tab: "selected" });
    app.hands.focus(id);
  },
  focusWeight(done) {
    app.weightDone = done;
    const field = document.querySelector('[data-key="weight"]');
    field?.focus();
    field?.select();
  },
  /** Called after another map was opened. */
  opened(words) {
    app.board.show({ concepts: [], edge: null, step: null, shown: null, scenario: 0, search: "" });
    if (app.board.ui.view === "map") app.graph.fit();
    app.say(words);
  },
  print(what) {
    app.board.show({ view: what });
    window.print();
  },
  showCode(code) {
    setText(codeBox.querySelector("pre"), code);
    setAttribute(codeBox, "hidden", null);
    codeBox.querySelector("pre").focus();
  },
};

// ---- document ----------------------------------------------------------------------------------------------------

const status = document.getElementById("saved");
const saver = autosave(payload.id, location.pathname, (words, well) => {
  setText(status, words);
  setAttribute(status, "class", well ? "saved" : "saved down-text");
});
const first = payload.map ? fromMap(payload.map) : EMPTY;
const restored = saver.restore();
app.board = createBoard(restored ?? first);
const { board } = app;

// ---- parts -------------------------------------------------------------------------------------------------------

const snapping = make("input", { type: "checkbox", id: "snap" });
const graph = drawGraph(board, () => app.positions());
app.graph = graph;
app.hands = handsOn(app, graph);
const { hands } = app;

const title = document.getElementById("title");
setAttribute(title, "aria-label", t("nameOfMap"));
setAttribute(title, "placeholder", t("nameOfMap"));
title.addEventListener("change", () => app.act({ do: "about", details: { name: title.value.trim() } }));

const undo = button(t("undo"), () => board.undo(), { title: "Ctrl+Z" });
const redo = button(t("redo"), () => board.redo(), { title: "Ctrl+Shift+Z" });
document.getElementById("bar").append(undo, redo, ...filesPart(app));
const theme = themePart({
  words: { light: t("light"), dark: t("dark"), toLight: t("toLight"), toDark: t("toDark") },
  store: {
    get state() {
      return board.ui;
    },
    change: (changes) => board.show(changes),
  },
});

const search = make("input", { type: "search", placeholder: t("find"), "aria-label": t("find"), autocomplete: "off" });
search.addEventListener("input", () => board.show({ search: search.value }));
search.addEventListener("keydown", (event) => {
  const found = board.doc.concepts.find(({ name }) => name.toLowerCase().includes(search.value.trim().toLowerCase()));
  if (event.key === "Enter" && found) app.reveal(found.id);
});

const mapTools = make(
  "div",
  { class: "tools" },
  button(t("addConcept"), () => hands.add(), { class: "main", id: "add-concept" }),
  button(t("remove"), () => hands.remove(), { id: "remove" }),
  make("label", { class: "check" }, snapping, t("snap")),
  button(
    t("tidyNew"),
    () => app.tidy(board.doc.concepts.filter(({ details }) => !("x" in details)).map(({ id }) => id)),
    { id: "tidy-new" },
  ),
  button(t("tidyAll"), () => board.doc.concepts.length && app.tidy(board.doc.concepts.map(({ id }) => id))),
  make(
    "span",
    { class: "tool zoom", role: "group", "aria-label": t("zoom") },
    button("−", () => hands.zoomBy(0.8), { "aria-label": t("smaller") }),
    button(t("fit"), () => graph.fit()),
    button("+", () => hands.zoomBy(1.25), { "aria-label": t("larger") }),
  ),
);
const amount = make("input", {
  type: "range",
  min: 0,
  step: 1,
  "aria-label": t("arrowsShown"),
  oninput: () => board.show({ shown: Number(amount.value) }),
});
const amountText = make("span", { class: "soft" });
const amountTool = make("span", { class: "tool shown-arrows" }, amount, amountText);
mapTools.append(amountTool);
const empty = make("p", { class: "empty-hint" }, t("startHere"));
graph.frame.append(empty);
const mapView = make("div", { class: "map-view" }, mapTools, graph.frame);
const matrix = matrixPart(app),
  list = listPart(app),
  report = reportPart(app);
const views = {
  map: {
    text: t("viewMap"),
    element: mapView,
    update({ doc, ui }) {
      graph.update(doc, ui, extra);
      hands.update();
      setAttribute(empty, "hidden", doc.concepts.length > 0);
      setAttribute(amountTool, "hidden", doc.edges.length <= 40);
      setAttribute(amount, "max", doc.edges.length);
      amount.value = Math.min(ui.shown ?? usuallyShown(doc), doc.edges.length);
      setText(amountText, t("shownOf", { shown: shownEdges(doc, ui).length, count: doc.edges.length }));
      setAttribute(
        document.getElementById("tidy-new"),
        "disabled",
        doc.concepts.every(({ details }) => "x" in details),
      );
      setAttribute(document.getElementById("remove"), "disabled", !ui.concepts.length && !ui.edge);
    },
  },
  matrix: { text: t("viewMatrix"), ...matrix },
  list: { text: t("viewList"), ...list },
  report: { text: t("viewReport"), ...report },
};
const tabs = {
  selected: { text: t("tabSelected"), ...panelPart(app) },
  scenarios: { text: t("tabScenarios"), ...scenariosPart(app) },
  numbers: { text: t("tabNumbers"), ...numbersPart(app) },
  people: { text: t("tabPeople"), ...peoplePart(app) },
};

/** Create tabs that show one of several parts; arrow keys go from tab to tab. */
function tabList(id, label, parts, key) {
  const buttons = Object.entries(parts).map(([name, { text }]) =>
    button(text, () => board.show({ [key]: name }), {
      role: "tab",
      id: `${key}-${name}`,
      "aria-controls": `${id}-body`,
      tabindex: -1,
    }),
  );
  const names = Object.keys(parts);
  const element = make("div", { role: "tablist", "aria-label": label, class: "tabs" }, ...buttons);
  element.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const next = (names.indexOf(board.ui[key]) + step + names.length) % names.length;
    board.show({ [key]: names[next] });
    buttons[next].focus();
    event.preventDefault();
  });
  const body = make("div", { role: "tabpanel", id: `${id}-body`, "aria-labelledby": `${key}-${names[0]}` });
  document.getElementById(id).append(make("h2", { class: "unseen" }, label), element, body);
  let shown = null;
  return (state) => {
    const name = state.ui[key];
    if (shown !== name) {
      body.replaceChildren(parts[name].element);
      buttons.forEach((one, k) => {
        setAttribute(one, "aria-selected", String(names[k] === name));
        setAttribute(one, "tabindex", names[k] === name ? 0 : -1);
      });
      setAttribute(body, "aria-labelledby", `${key}-${name}`);
      shown = name;
    }
    parts[name].update(state);
  };
}
const showView = tabList("drawing", t("views"), views, "view");
const showTab = tabList("side", t("tools"), tabs, "tab");
document.querySelector("#drawing .tabs").after(make("div", { class: "finder" }, search));

const codeBox = make(
  "section",
  { class: "card code-box", hidden: true, "aria-label": t("asPython") },
  make("h2", {}, t("asPython")),
  make("pre", { class: "code", tabindex: 0 }),
  button(t("close"), () => setAttribute(codeBox, "hidden", true)),
);
document.getElementById("main").append(codeBox);

// ---- updates -----------------------------------------------------------------------------------------------------

let saved = restored ?? first;
function refresh() {
  const state = { doc: board.doc, ui: board.ui };
  showView(state);
  showTab(state);
  theme();
  undo.disabled = !board.canUndo;
  redo.disabled = !board.canRedo;
  if (document.activeElement !== title) title.value = app.title();
  document.title = app.title() || t("untitled");
  if (board.doc !== saved) {
    saved = board.doc;
    saver.save(saved);
  }
}
board.listen(refresh);
addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
  const key = event.key.toLowerCase();
  if (event.target.matches("input[type=text], input[type=search], textarea")) return;
  if (key === "z" && !event.shiftKey) board.undo();
  else if (key === "y" || (key === "z" && event.shiftKey)) board.redo();
  else return;
  event.preventDefault();
});
addEventListener("beforeprint", () => graph.onPaper(true));
addEventListener("afterprint", () => graph.onPaper(false));

setAttribute(document.getElementById("main"), "hidden", null);
refresh();
graph.fit();
setText(status, restored ? t("restored") : t("notYetSaved"));
document.getElementById("notes").append(make("p", {}, t("offline")));
if (restored && payload.map)
  document
    .getElementById("notes")
    .append(
      button(
        t("backToFile"),
        () =>
          app.act({ do: "open", doc: fromMap(payload.map, board.doc.next) }) &&
          app.opened(t("openedFile", { file: payload.title })),
      ),
    );
// For tests and for people with developer tools.
window.board = { board, app, invalid, useTexts };
setAttribute(document.body, "data-ready", "");
