// The panel of what is selected: the map, a concept, several concepts, or an arrow.

import { button, make, setAttribute, setText } from "./dom.js";
import { COLORS, fillOf, groupsOf, nameOf, sizeOf } from "./board_graph.js";
import { t } from "./board_text.js";
import { readWords } from "./board_words.js";
import { signed } from "./words.js";

const TERMS = [-1, -0.75, -0.5, -0.25, 0.25, 0.5, 0.75, 1];

/** Return a labelled field; `change` gets the text when it is entered. */
export function field(label, value, change, attributes = {}) {
  const tag = attributes.rows ? "textarea" : "input";
  const input = make(tag, {
    class: "entry",
    ...(tag === "input" ? { type: "text" } : {}),
    autocomplete: "off",
    ...attributes,
  });
  input.value = value;
  input.addEventListener("change", () => change(input.value, input));
  return make("label", { class: "field" }, make("span", {}, label), input);
}

/** Return a labelled choice from pairs of value and text. */
export function choice(label, options, value, change, attributes = {}) {
  const select = make(
    "select",
    { onchange: () => change(select.value), ...attributes },
    ...options.map(([key, text]) => make("option", { value: key, selected: String(key) === String(value) }, text)),
  );
  return make("label", { class: "field" }, make("span", {}, label), select);
}

/** Return the largest absolute weight that may be entered: 1, or more if the map already has more. */
export function largestWeight(doc) {
  return Math.max(1, ...doc.edges.map(({ weight }) => Math.abs(weight)));
}

/** Read a weight as a number, letters or words; tells the problem and returns null if it is none. */
export function readWeight(app, text) {
  const largest = largestWeight(app.board.doc);
  try {
    const weight = readWords(text.trim()) ?? 0;
    if (Math.abs(weight) <= largest) {
      app.notice("");
      return weight;
    }
    app.notice(t("weightOutOfRange", { weight, largest }));
  } catch (error) {
    app.notice(error.message);
  }
  return null;
}

export function panelPart(app) {
  const element = make("div", { class: "panel-body" });
  let shown = null;

  function update({ doc, ui }) {
    // While a field is in use, only another selection replaces it.
    const what = JSON.stringify([ui.concepts, ui.edge]);
    if (shown?.what === what && shown.doc === doc) return;
    if (shown?.what === what && element.contains(document.activeElement) && shown.refresh) {
      shown.refresh(doc);
      shown.doc = doc;
      return;
    }
    const focused = element.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    const made = ui.edge
      ? ofArrow(app, ui.edge)
      : ui.concepts.length === 1
        ? ofConcept(app, ui.concepts[0])
        : ui.concepts.length
          ? ofSeveral(app, ui.concepts)
          : ofMap(app);
    element.replaceChildren(...made.parts.filter(Boolean));
    shown = { what, doc, refresh: made.refresh };
    if (focused) element.querySelector(`[data-key="${focused}"]`)?.focus();
  }
  return { element, update };
}

function ofMap(app) {
  const { doc } = app.board;
  const about = (key) => (text) => app.act({ do: "about", details: { [key]: text.trim() } });
  const value = (key) => (typeof doc.details[key] === "string" ? doc.details[key] : "");
  return {
    parts: [
      make("h3", {}, t("thisMap")),
      make("p", { class: "soft" }, sizeOf(doc)),
      field(t("author"), value("author"), about("author"), { "data-key": "author" }),
      field(t("description"), value("description"), about("description"), { rows: 3, "data-key": "description" }),
      make("h4", {}, t("howTo")),
      make(
        "ul",
        { class: "hints" },
        ...["hintAdd", "hintArrow", "hintMove", "hintKeys"].map((key) => make("li", {}, t(key))),
      ),
    ],
  };
}

function swatches(app, ids) {
  const { doc } = app.board;
  const concepts = doc.concepts.filter(({ id }) => ids.includes(id));
  const groups = groupsOf(doc);
  const paint = (color) => app.act({ do: "concept", ids, details: { color } });
  return make(
    "fieldset",
    { class: "swatches" },
    make("legend", {}, t("colour")),
    ...COLORS.map((color, k) => {
      const one = button("", () => paint(color), {
        class: "swatch",
        "aria-label": t("colourNumber", { number: k + 1 }),
        "aria-pressed": String(concepts.every((concept) => fillOf(concept, groups) === color)),
      });
      one.style.setProperty("background", color);
      return one;
    }),
    button(t("noColour"), () => paint(null), { class: "small" }),
  );
}

function groupField(app, ids) {
  const { doc } = app.board;
  const groups = new Set(doc.concepts.filter(({ id }) => ids.includes(id)).map(({ details }) => details.group ?? ""));
  // Mental Modeler numbers the groups and names them apart.
  const names = typeof doc.details.groups === "object" ? doc.details.groups : {};
  const called = (group) => (typeof names[group] === "string" ? names[group] : group);
  const all = new Set([
    ...groupsOf(doc).map(called),
    ...Object.values(names).filter((name) => typeof name === "string"),
  ]);
  const list = make("datalist", { id: "group-names" }, ...[...all].map((group) => make("option", { value: group })));
  const value = groups.size === 1 ? called([...groups][0]) : "";
  const change = (text) => {
    const group = Object.keys(names).find((key) => names[key] === text.trim()) ?? text.trim();
    app.act({ do: "concept", ids, details: { group } });
  };
  return [field(t("group"), value, change, { list: "group-names", "data-key": "group" }), list];
}

function ofConcept(app, id) {
  const { doc } = app.board;
  const concept = doc.concepts.find((one) => one.id === id);
  const detail = (key) => (text) => app.act({ do: "concept", ids: [id], details: { [key]: text.trim() } });
  const text = (key) => (typeof concept.details[key] === "string" ? concept.details[key] : "");
  const rename = (value, input) => {
    if (!app.act({ do: "rename", id, name: value })) input.value = nameOf(app.board.doc, id);
  };
  const others = doc.concepts.filter(
    (one) => one.id !== id && !doc.edges.some((edge) => edge.source === id && edge.target === one.id),
  );
  const target = make(
    "select",
    { "aria-label": t("arrowTo"), "data-key": "to" },
    ...others.map((one) => make("option", { value: one.id }, one.name)),
  );
  const external = make("input", {
    type: "checkbox",
    onchange: () => app.act({ do: "concept", ids: [id], details: { external: external.checked || null } }),
  });
  external.checked = concept.details.external === true;
  return {
    parts: [
      make("h3", {}, t("concept")),
      field(t("name"), concept.name, rename, { "data-key": "name" }),
      ...(others.length
        ? [
            make(
              "div",
              { class: "inline-form" },
              make("span", {}, t("arrowTo")),
              target,
              button(t("drawArrow"), () => app.hands.connect(id, Number(target.value)), { "data-key": "draw" }),
            ),
          ]
        : []),
      arrowList(
        app,
        t("arrowsOut"),
        doc.edges.filter((edge) => edge.source === id),
        "target",
      ),
      arrowList(
        app,
        t("arrowsIn"),
        doc.edges.filter((edge) => edge.target === id),
        "source",
      ),
      ...groupField(app, [id]),
      swatches(app, [id]),
      field(t("units"), text("units"), detail("units"), { "data-key": "units" }),
      field(t("notes"), text("notes"), detail("notes"), { rows: 2, "data-key": "notes" }),
      make("label", { class: "check" }, external, t("external")),
      make(
        "div",
        { class: "buttons" },
        button(t("selfLoop"), () => app.hands.connect(id, id)),
        button(t("remove"), () => app.act({ do: "remove", ids: [id] })),
      ),
    ],
  };
}

function arrowList(app, heading, edges, end) {
  if (!edges.length) return null;
  const { doc } = app.board;
  return make(
    "div",
    {},
    make("h4", {}, heading),
    make(
      "ul",
      { class: "arrow-list" },
      ...edges.map((edge) =>
        make(
          "li",
          {},
          button(nameOf(doc, edge[end]), () => app.board.show({ edge: [edge.source, edge.target], concepts: [] }), {
            class: "quiet",
          }),
          make("span", { class: `number ${edge.weight < 0 ? "down-text" : "up-text"}` }, signed(edge.weight)),
        ),
      ),
    ),
  );
}

function ofSeveral(app, ids) {
  return {
    parts: [
      make("h3", {}, t("severalConcepts", { count: ids.length })),
      ...groupField(app, ids),
      swatches(app, ids),
      make(
        "div",
        { class: "buttons" },
        button(t("tidyThese"), () => app.tidy(ids)),
        button(t("remove"), () => app.act({ do: "remove", ids })),
      ),
    ],
  };
}

function ofArrow(app, [source, target]) {
  const { doc } = app.board;
  const edge = doc.edges.find((one) => one.source === source && one.target === target);
  const largest = largestWeight(doc);
  const set = (weight, gesture = null) => app.act({ do: "weight", source, target, weight }, gesture);
  const slider = make("input", {
    type: "range",
    min: -largest,
    max: largest,
    step: 0.05,
    "aria-label": t("weight"),
    oninput: () => set(Number(slider.value), `weight ${source} ${target}`),
    onchange: () => app.board.endGesture(),
  });
  const number = make("input", {
    type: "text",
    class: "entry number",
    inputmode: "text",
    "aria-label": t("weightNumber"),
    "data-key": "weight",
    autocomplete: "off",
  });
  number.addEventListener("change", () => {
    const weight = readWeight(app, number.value);
    if (weight !== null) set(weight);
    number.value = String(app.edgeWeight(source, target));
  });
  number.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !app.weightDone) return;
    event.preventDefault();
    app.weightDone();
    app.weightDone = null;
  });
  const words = make(
    "select",
    { "aria-label": t("weightWords"), onchange: () => words.value !== "" && set(Number(words.value)) },
    make("option", { value: "" }, t("inWords")),
    ...TERMS.map((weight) => make("option", { value: weight }, t(`term${weight}`))),
  );
  const about =
    (key, read = (text) => text.trim()) =>
    (text) =>
      app.act({ do: "edge", source, target, details: { [key]: read(text) } });
  const confidence = edge.details.confidence;
  const refresh = (now) => {
    const current = now.edges.find((one) => one.source === source && one.target === target);
    if (!current) return;
    if (document.activeElement !== number) number.value = String(current.weight);
    if (document.activeElement !== slider) slider.value = current.weight;
    words.value = TERMS.includes(current.weight) ? String(current.weight) : "";
    setAttribute(slider, "aria-valuetext", signed(current.weight));
    setText(name, arrowName(now, source, target));
  };
  const name = make("p", { class: "arrow-name" });
  refresh(doc);
  return {
    refresh,
    parts: [
      make("h3", {}, t("arrow")),
      name,
      make("div", { class: "weight-row" }, slider, number),
      words,
      choice(
        t("confidence"),
        [["", t("notGiven")], ...[-3, -2, -1, 1, 2, 3].map((level) => [level, t(`confidence${level}`)])],
        confidence ?? "",
        about("confidence", (text) => (text === "" ? null : Number(text))),
      ),
      field(t("notes"), typeof edge.details.notes === "string" ? edge.details.notes : "", about("notes"), {
        rows: 2,
        "data-key": "notes",
      }),
      make(
        "div",
        { class: "buttons" },
        source === target
          ? null
          : button(
              t("reverse"),
              () => app.act({ do: "reverse", source, target }) && app.board.show({ edge: [target, source] }),
            ),
        button(t("remove"), () => app.act({ do: "disconnect", source, target })),
      ),
    ].filter(Boolean),
  };
}

function arrowName(doc, source, target) {
  return `${nameOf(doc, source)} → ${nameOf(doc, target)}`;
}
