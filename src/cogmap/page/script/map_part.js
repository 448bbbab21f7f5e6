// Section of the drawn map: toolbar, map, a caption for the element under the pointer, player, and tables.

import { bodyOf, button, make, setAttribute, setStyle, setText } from "./dom.js";
import { drawGraph, neighbour } from "./graph.js";
import { className, conceptName, number, short } from "./words.js";
import { conceptPanel } from "./concept.js";
import { simpleView } from "./simple.js";
import { timePart } from "./time.js";
import { tablesPart } from "./tables.js";
import { isSingle } from "./view.js";

const ARROW_KEYS = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight"];

export function mapPart(page) {
  const { store } = page;
  const caption = make("p", { class: "caption soft" });
  let hint = "";
  const say = (words) => setText(caption, words || hint);
  const choose = (i) => store.change({ chosen: store.state.chosen === i ? null : i, arrow: null });
  const graph = drawGraph(page, {
    choose,
    chooseArrow: (target, source) => store.change({ arrow: [target, source], chosen: target }),
    say: (words) => say(words),
  });
  page.graph = graph;
  const frame = make("div", { class: "frame-of-map" }, graph.svg);
  const tools = toolbar(page, graph, frame);
  const panel = conceptPanel(page);
  const time = page.model.kind === "map" || page.model.depth > 2 ? timePart(page) : null; // two steps need no player
  const tables = tablesPart(page);
  const simple = page.model.kind === "map" ? null : simpleView(page);
  const arrows = arrowList(page);
  const picture = make("div", { class: "picture" }, frame, arrows.element, legend(page), caption);
  // The panel wraps below if there is not enough space beside the map.
  setStyle(picture, "flex-basis", `${Math.round(0.95 * graph.width)}px`);
  const inside = make(
    "div",
    {},
    tools.element,
    make("div", { class: "map-and-panel" }, picture, panel.element),
    ...(time ? [time.element] : []),
    tables.element,
  );
  const kinds = viewKinds(page);
  bodyOf("map").append(...(simple ? [kinds.element, simple.element] : []), inside);

  // Roving tabindex: Tab reaches the concept last focused or selected, arrow keys the others.
  let stop = null;
  function stopAt(i) {
    graph.concepts.get(stop)?.focusable(false);
    stop = i;
    graph.concepts.get(stop)?.focusable(true);
  }
  stopAt([...graph.boxes.keys()][0]);
  // On the frame: an SVG element that listens to this becomes a tab stop itself in some browsers.
  frame.addEventListener(
    "focusin",
    ({ target }) => target.matches("[data-concept]") && stopAt(Number(target.dataset.concept)),
  );
  frame.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (ARROW_KEYS.includes(event.key)) {
      const next = neighbour(page, graph, stop, event.key);
      if (next !== undefined) graph.concepts.get(next).button.focus();
    } else if (event.key === "Enter" || event.key === " ") choose(stop);
    else if (event.key === "Escape") store.change({ chosen: null, arrow: null });
    else return;
    event.preventDefault();
  });

  page.showConcept = (i) => {
    store.change({ chosen: i, arrow: null, inside: true });
    graph.concepts.get(i)?.element.scrollIntoView({ block: "nearest", inline: "nearest" });
  };
  addEventListener("resize", () => say((hint = hintOf(frame))));
  let chosen = null,
    zoom;
  return (view) => {
    if (simple) {
      kinds.update(view);
      setAttribute(simple.element, "hidden", view.state.inside);
      setAttribute(inside, "hidden", !view.state.inside);
      if (!view.state.inside) return simple.update(view);
    }
    graph.update(view);
    arrows.update(view);
    if (chosen !== view.state.chosen && graph.boxes.has(view.state.chosen)) stopAt(view.state.chosen);
    chosen = view.state.chosen;
    tools.update(view);
    if (zoom !== view.state.zoom) say((hint = hintOf(frame))); // only then, since measuring is slow
    zoom = view.state.zoom;
    panel.update(view);
    time?.update(view);
    tables.update(view);
  };
}

function hintOf(frame) {
  const wide =
    frame.scrollWidth > frame.clientWidth + 1
      ? "The map is wider than its frame: scroll it sideways, or make it smaller. "
      : "";
  return `${wide}Choose a concept to see what drives it and what it drives; choose an arrow to change its weight.`;
}

/** Create the choice between the simple view and the inside of the map, and between all data and this row. */
function viewKinds({ model, store }) {
  const concepts = model.concepts.length;
  const open = button("Show the inside", () => store.change({ inside: true }));
  const close = button("Simple view", () => store.change({ inside: false, chosen: null, arrow: null }));
  const about = make("span", { class: "soft" });
  const arrows = choiceOfArrows(store, "all data", "this row", "simple-arrows");
  const element = make("div", { class: "tools" }, open, close, arrows.element, about);
  return {
    element,
    update({ state }) {
      setAttribute(open, "hidden", state.inside);
      setAttribute(close, "hidden", !state.inside);
      setAttribute(arrows.element, "hidden", state.inside);
      arrows.update(state);
      setText(
        about,
        state.inside
          ? `All ${concepts} concepts: boxes of columns, what the map derives from them, and the answer. A concept has a state, from low to high.`
          : "",
      );
    },
  };
}

/** Create the choice between arrows for all data and for this row. */
function choiceOfArrows(store, usual, row, name) {
  const kinds = ["usual", "row"].map((kind) =>
    make("input", { type: "radio", name, value: kind, onchange: () => store.change({ flow: kind === "row" }) }),
  );
  return {
    element: make(
      "fieldset",
      { class: "tool" },
      make("legend", { class: "unseen" }, "What arrows show"),
      make("label", {}, kinds[0], usual),
      make("label", {}, kinds[1], row),
    ),
    update({ flow }) {
      kinds[0].checked = !flow;
      kinds[1].checked = flow;
    },
  };
}

/** Create the list of arrows that replaces the picture on phones; it has as many as the picture. */
function arrowList(page) {
  const { model, store, usuallyShown, signOf } = page;
  const list = make("ul", { class: "arrow-list" });
  const lines = []; // of the strongest edges, made when they are asked for first
  function line({ target, source }) {
    const words = make("span");
    const pick = button("", () => store.change({ arrow: [target, source], chosen: target }), { class: "quiet" });
    const element = make("li", {}, pick, words);
    list.append(element);
    return { target, source, pick, words, element };
  }
  return {
    element: list,
    update(view) {
      const shown = Math.max(view.state.shown ?? usuallyShown, 1);
      while (lines.length < Math.min(shown, model.edges.length)) lines.push(line(model.edges[lines.length]));
      lines.forEach(({ target, source, pick, words, element }, place) => {
        setAttribute(element, "hidden", place >= shown || target === source);
        if (place >= shown) return;
        const sign = signOf(view, target);
        // The output of two classes bears the name of the class that is the answer, as in the picture.
        const name = isSingle(model, target) ? className(page.outputs[sign < 0 ? 0 : 1].name) : conceptName(model, target);
        const weight = view.model.weights[target * model.n + source] * sign;
        setText(pick, `${short(model.concepts[source].name, 40)} → ${short(name, 40)}`);
        setText(words, `${weight >= 0 ? "raises" : "lowers"} it`);
        setAttribute(words, "class", weight >= 0 ? "up-text" : "down-text");
      });
    },
  };
}

function toolbar(page, graph, frame) {
  const { model, store } = page;
  const search = make("input", {
    type: "search",
    list: "concept-names",
    placeholder: "Find a concept",
    "aria-label": "Find a concept",
    autocomplete: "off",
  });
  const names = make(
    "datalist",
    { id: "concept-names" },
    ...model.concepts.map((concept) => make("option", { value: concept.name })),
  );
  const find = () => {
    const query = search.value.trim().toLowerCase();
    if (!query) return;
    const all = model.concepts.map((concept) => concept.name.toLowerCase());
    const exact = all.indexOf(query);
    const match = exact >= 0 ? exact : all.findIndex((name) => name.includes(query));
    page.notice(match < 0 ? `No concept has “${short(search.value, 40)}” in its name.` : "");
    if (match >= 0) page.showConcept(match);
  };
  search.addEventListener("change", find);
  const threshold = make("input", {
    type: "range",
    id: "threshold",
    min: 0,
    max: page.mostShown,
    step: 1,
    oninput: () => store.change({ shown: Number(threshold.value) }),
  });
  const amount = make("output", { for: "threshold", class: "amount" });
  const isMap = model.kind === "map";
  const kinds = choiceOfArrows(store, isMap ? "weights" : "all data", isMap ? "this scenario" : "this row", "arrows");
  const zoom = (factor) => {
    const now = frame.firstChild.getBoundingClientRect().width / graph.width;
    store.change({ zoom: Math.min(Math.max(now * factor, 0.3), 3) });
  };
  const element = make(
    "div",
    { class: "tools" },
    make("div", { class: "tool" }, search, names),
    make("div", { class: "tool grow" }, make("label", { for: "threshold" }, "Arrows"), threshold, amount),
    kinds.element,
    make(
      "div",
      { class: "tool zoom" },
      button("−", () => zoom(0.8), { "aria-label": "Smaller" }),
      button("Fit", () => store.change({ zoom: null })),
      button("+", () => zoom(1.25), { "aria-label": "Larger" }),
    ),
  );
  return {
    element,
    update({ state }) {
      const shown = state.shown ?? page.usuallyShown;
      if (threshold.value !== String(shown)) threshold.value = String(shown);
      const weakest = shown ? model.edges[Math.min(shown, model.edges.length) - 1].strength : 1;
      const least = `: those of at least ${number(100 * weakest, 2)}\u00a0% of the strongest`;
      const words = `${number(shown)} of ${number(page.countEdges)}${shown < page.countEdges ? least : ""}`;
      setText(amount, words);
      setAttribute(threshold, "aria-valuetext", words);
      kinds.update(state);
      setStyle(graph.svg, "width", state.zoom === null ? "100%" : `${(state.zoom * graph.width).toFixed(0)}px`);
      setStyle(graph.svg, "max-width", state.zoom === null ? `${(1.3 * graph.width).toFixed(0)}px` : "none");
      setStyle(graph.svg, "max-height", state.zoom === null ? "calc(78vh - 2px)" : "none"); // "Fit": all of it
    },
  };
}

function legend({ model }) {
  const turns = !model.held.length || model.edges.some(({ target, source }) => target === source);
  const key = (kind, text) => make("li", { class: `key ${kind}` }, text);
  return make(
    "ul",
    { class: "legend", "aria-label": "What colours mean" },
    key("up-key", "raises"),
    key("down-key", "lowers"),
    ...(turns ? [key("ring-key", "on itself")] : []),
    key("meter-key", "bar in a box: its state, from low to high"),
  );
}
