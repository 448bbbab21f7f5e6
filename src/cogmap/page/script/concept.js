// Panel of the selected concept: its state, incoming and outgoing edges, and the weight editor.

import { breakable, button, make, setAttribute, setStyle, setText } from "./dom.js";
import { conceptName, fixed, oneLine, short, signed } from "./words.js";
import { holdControl } from "./holding.js";

const LISTED = 12; // edges listed initially
const KINDS = { input: "a value of the row", hidden: "a hidden concept", output: "an output" };

export function conceptPanel(page) {
  const body = make("div", { class: "panel-body" });
  const element = make("div", { class: "panel", role: "region", "aria-label": "The chosen concept" }, body);
  let about = null,
    key = "";

  return {
    element,
    update(view) {
      const { chosen, arrow } = view.state;
      const newKey = `${chosen} ${arrow}`;
      if (newKey !== key) {
        key = newKey;
        about = chosen === null ? null : aboutConcept(page, chosen, arrow);
        body.replaceChildren(...(about ? about.elements : emptyPanel(page)));
        element.scrollTop = 0;
      }
      about?.update(view);
    },
  };
}

function emptyPanel({ model }) {
  const kinds = ["input", "hidden", "output"]
    .map((kind) => [kind, model.concepts.filter((concept) => concept.kind === kind).length])
    .filter(([, amount]) => amount);
  const named = model.held?.length > 0; // hidden concepts of a small map have names
  const labels = { input: "from values", hidden: named ? "steps and combinations" : "hidden", output: "for outputs" };
  const counts = kinds.map(([kind, amount]) => `${amount} ${labels[kind]}`).join(", ");
  return [
    make("h3", {}, "Nothing is chosen"),
    make("p", {}, `The map has ${model.concepts.length} concepts${model.kind === "map" ? "" : `: ${counts}`}.`),
    make(
      "p",
      { class: "soft" },
      "Choose a box or an arrow. With the keyboard: Tab to the map, arrow keys from concept to concept, " +
        "Enter to choose, Escape to deselect.",
    ),
  ];
}

function aboutConcept(page, i, arrow) {
  const { model, store } = page;
  const concept = model.concepts[i];
  const state = make("p", { class: "concept-state" });
  const close = button("×", () => store.change({ chosen: null, arrow: null }), {
    class: "close",
    "aria-label": "Deselect the concept",
  });
  const hold = holdControl(page, i);
  const other = make("p", { class: "soft" });
  const editor = arrow ? arrowEditor(page, ...arrow) : null;
  const lists = [
    influences(page, "What drives it", i, true),
    influences(page, "What it drives", i, false),
    adding(page, i),
  ];
  return {
    elements: [
      make("div", { class: "panel-head" }, make("h3", { title: concept.name }, short(conceptName(model, i), 80)), close),
      model.kind === "map" ? "" : make("p", { class: "soft" }, KINDS[concept.kind]),
      state,
      other,
      hold.element,
      editor ? editor.element : "",
      make("div", { class: "lists" }, ...lists.map((list) => list.element)),
    ],
    update(view) {
      setText(
        state,
        `State ${fixed(view.result.states[view.step][i], 3)} at step ${view.step}, ${fixed(view.result.states.at(-1)[i], 3)} at the end.`,
      );
      setText(other, page.signOf(view, i) < 0 ? "Drawn for the other class: opposite colours." : "");
      hold.update(view);
      editor?.update(view);
      lists.forEach((list) => list.update(view));
    },
  };
}

/** Create a slider for one weight, with a range of twice the largest weight of the map. */
function arrowEditor(page, target, source) {
  const { model } = page;
  const place = target * model.n + source;
  const reach = 2 * model.weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0.5);
  const range = make("input", {
    type: "range",
    min: -100,
    max: 100,
    step: 1,
    class: "slider",
    "aria-label": "Weight of the chosen arrow",
    oninput: () => page.edit(target, source, Number(((reach * Number(range.value)) / 100).toPrecision(3)), true),
    onchange: () => page.endGesture(),
  });
  const now = make("p", { class: "number" });
  const element = make(
    "div",
    { class: "arrow-editor" },
    make("h4", {}, `${short(conceptName(model, source), 40)} → ${short(conceptName(model, target), 40)}`),
    range,
    now,
  );
  return {
    element,
    update(view) {
      const weight = view.model.weights[place];
      const position = String(Math.round((100 * weight) / reach));
      if (range.value !== position) range.value = position;
      setAttribute(range, "aria-valuetext", signed(weight));
      setText(
        now,
        weight === model.weights[place]
          ? `Weight ${signed(weight)}, as it was`
          : `Weight ${signed(weight)}, was ${signed(model.weights[place])}`,
      );
    },
  };
}

function influences(page, title, i, into) {
  const all = page.influencesOf(i, into);
  const list = make("ul", { class: "influences" });
  let lines = [];
  const more = button("", () => fill(all.length), { class: "quiet" });
  function fill(size) {
    lines = all.slice(0, size).map((edge) => influenceLine(page, edge, into));
    list.replaceChildren(...lines.map((line) => line.element));
    setText(more, `Show all ${all.length}`);
    setAttribute(more, "hidden", size >= all.length);
  }
  const strong = all.filter((edge) => edge.strength !== null).length; // edges with negligible flow are shown on demand
  fill(Math.min(strong || all.length, LISTED));
  const nothing = all.length ? null : make("p", { class: "soft" }, "Nothing.");
  return {
    element: make("div", {}, make("h4", {}, title), list, more, nothing),
    update(view) {
      lines.forEach((line) => line.update(view));
    },
  };
}

function influenceLine(page, { target, source, strength }, into) {
  const { model } = page;
  const place = target * model.n + source;
  const other = into ? source : target;
  const name = oneLine(model.concepts[other].name);
  const fill = make("span", { class: "fill" });
  setStyle(fill, "width", `${(100 * strength).toFixed(1)}%`);
  const weight = weightBox(page, target, source);
  const element = make(
    "li",
    {},
    target === source
      ? make("span", { class: "influence-name" }, "itself")
      : button(breakable(short(conceptName(model, other), 40)), () => page.showConcept(other), { class: "quiet influence-name", title: name }),
    weight.element,
    make("span", { class: "track thin" }, fill),
  );
  return {
    element,
    update(view) {
      const now = view.model.weights[place];
      setAttribute(fill, "class", now >= 0 ? "fill up" : "fill down");
      setAttribute(element, "class", now === model.weights[place] ? null : "edited");
      weight.update(now);
    },
  };
}

function weightBox(page, target, source) {
  const { model } = page;
  const label = `Weight of ${model.concepts[source].name} on ${model.concepts[target].name}`;
  const box = make("input", {
    type: "number",
    step: "0.1",
    class: "entry",
    "aria-label": label,
    oninput: () =>
      box.value !== "" && Number.isFinite(box.valueAsNumber) && page.edit(target, source, box.valueAsNumber, true),
    onchange: () => page.endGesture(),
  });
  return {
    element: box,
    update(now) {
      if (box.valueAsNumber === now || (document.activeElement === box && box.value === "")) return;
      box.value = String(Number(now.toPrecision(3)));
      box.title = String(now);
    },
  };
}

/** Create a control that adds an edge to the concept. */
function adding(page, i) {
  const { model } = page;
  const known = new Set(page.influencesOf(i, true).map((edge) => edge.source));
  const free = model.held.includes(i) ? [] : [...model.concepts.keys()].filter((j) => !known.has(j));
  const select = make(
    "select",
    { "aria-label": "Concept that should drive it" },
    ...free.map((j) => make("option", { value: j }, short(model.concepts[j].name, 40))),
  );
  const add = button("Add", () => {
    page.edit(i, Number(select.value), 0.5);
    page.store.change({ arrow: [i, Number(select.value)] });
  });
  return {
    element:
      free.length === 0
        ? ""
        : make(
            "div",
            { class: "adding" },
            make("h4", {}, "Let another drive it"),
            make("div", { class: "buttons" }, select, add),
          ),
    update() {},
  };
}
