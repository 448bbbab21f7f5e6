// The drawn map. Boxes keep the positions computed in Python; arrows appear, disappear and change their width.

import { draw, setAttribute, setText } from "./dom.js";
import { className, conceptName, number, oneLine, short, signed } from "./words.js";
import { pathBetween } from "./paths.js";
import { isSingle } from "./view.js";

const THINNEST = 0.8,
  THICKEST = 5; // lines of arrows
const MAX_OF_CONCEPT = 24; // arrows drawn for the selected concept, however weak
const METER = 4; // width of the bar beside a label, which shows a state

/** Draw the map as SVG. `on` holds callbacks: choose(concept), chooseArrow(target, source), say(words). */
export function drawGraph(page, on) {
  const { model } = page;
  const { graph } = model;
  const boxes = new Map(graph.boxes.map((box) => [box.concept, box]));
  const lowest = Math.max(...graph.boxes.map((box) => box.y + box.height));
  const lines = draw("g", { class: "arrows" });
  const nodes = draw("g", { class: "nodes", "font-size": graph.size });
  const svg = draw(
    "svg",
    { role: "group", "aria-label": "The map: arrow keys go from concept to concept" },
    lines,
    headings(graph),
    nodes,
  );
  const concepts = new Map();
  for (const box of graph.boxes) {
    const node = drawBox(page, box, on);
    nodes.append(node.element);
    concepts.set(box.concept, node);
  }
  const known = new Map(model.edges.map((edge, rank) => [`${edge.target} ${edge.source}`, { rank, ...edge }]));
  const arrows = new Map();

  /** Return the arrow between two concepts, created on first use; null if one of them has no box. */
  function arrowOf(target, source) {
    const key = `${target} ${source}`;
    if (!arrows.has(key)) {
      const [from, to] = [boxes.get(source), boxes.get(target)];
      const shape = !from || !to || source === target ? null : (known.get(key) ?? pathBetween(from, to, lowest));
      arrows.set(key, shape && drawArrow(model, target, source, shape, on));
      // Strong arrows lie above weak ones.
      if (shape) insertByRank(lines, arrows.get(key), known.get(key)?.rank ?? Infinity);
    }
    return arrows.get(key);
  }

  /** Return the factor by which the width of an edited arrow changes. */
  function changed(weight, target, source) {
    const before = Math.abs(model.weights[target * model.n + source]);
    return Math.min(Math.max(before ? Math.abs(weight) / before : 3, 0.5), 8);
  }

  let drawn = new Set(),
    width = graph.width;
  const usual = extentOf(
    [0, graph.width, lowest + 12],
    model.edges.slice(0, page.usuallyShown).map(({ path }) => ends(path)),
  );

  /** Enlarge the picture if backward arrows run outside it. */
  function fitSize(keys) {
    const edges = [...keys].map((key) => known.get(key)).filter((edge) => edge);
    const [left, right, bottom] = extentOf(
      usual,
      edges.map((edge) => (edge.ends ??= ends(edge.path))),
    );
    width = right - left;
    setAttribute(svg, "viewBox", `${left} 0 ${width} ${bottom}`);
  }
  fitSize([]);

  function update(view) {
    const { state } = view;
    const shown = arrowsShown(page, view, boxes);
    for (const key of drawn) if (!shown.has(key)) setAttribute(arrows.get(key).element, "class", "arrow gone");
    drawn = new Set();
    fitSize(shown);
    const mostFlow = state.flow ? Math.max(...view.flows.map(Math.abs), 1e-12) : 1;
    for (const key of shown) {
      const [target, source] = key.split(" ").map(Number);
      const arrow = arrowOf(target, source);
      if (!arrow) continue;
      drawn.add(key);
      const weight = view.model.weights[target * model.n + source];
      const edge = known.get(key);
      const sign = page.signOf(view, target);
      const flow = state.flow && edge ? (sign * view.flows[edge.rank]) / mostFlow : null;
      const share = flow === null ? 0 : Math.abs(flow);
      const usual = flow === null ? (edge?.width ?? THINNEST) * changed(weight, target, source) : undefined;
      arrow.update({
        width: usual !== undefined ? Math.min(usual, 1.6 * THICKEST) : THINNEST + (THICKEST - THINNEST) * share,
        positive: (flow ?? sign * weight) >= 0,
        near: state.chosen !== null && (target === state.chosen || source === state.chosen),
        far: state.chosen !== null && target !== state.chosen && source !== state.chosen,
        picked: state.arrow !== null && state.arrow[0] === target && state.arrow[1] === source,
        edited: weight !== model.weights[target * model.n + source],
        weight,
      });
    }
    const states = view.result.states[view.step];
    for (const [i, node] of concepts) node.update(states[i], state, view);
    setAttribute(svg, "class", `graph${state.flow ? " flow" : ""}${view.playing ? " playing" : ""}`);
  }
  return {
    svg,
    update,
    boxes,
    concepts,
    get width() {
      return width;
    },
  };
}

/** Return the left, right and lower end of a path, with a margin. */
function ends(path) {
  const numbers = path.match(/-?[\d.]+/g).map(Number);
  const [x, y] = [0, 1].map((rest) => numbers.filter((_, place) => place % 2 === rest));
  return [Math.min(...x) - 4, Math.max(...x) + 4, Math.max(...y) + 10];
}

/** Return the left, right and lower end of all paths and of what is drawn anyway. */
function extentOf(start, paths) {
  return paths.reduce(([a, b, c], [left, right, bottom]) => [Math.min(a, left), Math.max(b, right), Math.max(c, bottom)], start);
}

/** Return the arrows to draw: the strongest, those of the selected concept, and edited ones. */
function arrowsShown(page, { state, edits }, boxes) {
  const { edges } = page.model;
  const shown = new Set();
  const add = ({ target, source }) =>
    target !== source && boxes.has(target) && boxes.has(source) && shown.add(`${target} ${source}`);
  edges.slice(0, state.shown ?? page.usuallyShown).forEach(add);
  if (state.chosen !== null)
    edges
      .filter((edge) => edge.target === state.chosen || edge.source === state.chosen)
      .slice(0, MAX_OF_CONCEPT)
      .forEach(add);
  for (const [target, source] of edits) if (source >= 0) add({ target, source });
  if (state.arrow) add({ target: state.arrow[0], source: state.arrow[1] });
  return shown;
}

function insertByRank(lines, arrow, rank) {
  arrow.element.rank = rank;
  const later = [...lines.children].find((other) => other.rank <= rank);
  lines.insertBefore(arrow.element, later ?? null);
}

function headings(graph) {
  return draw(
    "g",
    { class: "headings", "aria-hidden": "true" },
    ...(graph.headings ?? []).map((word) => draw("text", { x: word.x, y: word.y, "text-anchor": "middle" }, word.text)),
  );
}

function drawArrow(model, target, source, shape, on) {
  const line = draw("path", { d: shape.path, class: "line" });
  const moving = draw("path", { d: shape.path, class: "moving" });
  const head = draw("polygon", { points: shape.head, class: "head" });
  const reach = draw("path", { d: shape.path, class: "reach" });
  let words = "";
  const element = draw(
    "g",
    {
      class: "arrow",
      "aria-hidden": "true",
      onclick: () => on.chooseArrow(target, source),
      onpointerenter: () => on.say(words),
      onpointerleave: () => on.say(""),
    },
    line,
    moving,
    head,
    reach,
  );
  return {
    element,
    update({ width, positive, near, far, picked, edited, weight }) {
      setAttribute(
        element,
        "class",
        `arrow ${positive ? "up" : "down"}${near ? " near" : ""}${far ? " far" : ""}${picked ? " picked" : ""}${edited ? " edited" : ""}`,
      );
      setAttribute(line, "stroke-width", width.toFixed(2));
      setAttribute(moving, "stroke-width", (0.5 * width + 0.6).toFixed(2));
      words = `${oneLine(model.concepts[source].name)} → ${oneLine(model.concepts[target].name)}: weight ${signed(weight)}${edited ? ", changed by you" : ""}`;
    },
  };
}

function drawBox(page, box, on) {
  const { model } = page;
  const i = box.concept;
  const concept = model.concepts[i];
  const meter = draw("rect", { class: "meter", x: box.x, y: box.y, height: 0, width: METER });
  const middle = box.y + box.height / 2 - (1.25 * model.graph.size * (box.lines.length - 1)) / 2;
  const lines = box.lines.map((text, place) =>
    draw(
      "text",
      {
        x: box.text_x,
        y: middle + 1.25 * model.graph.size * place + 0.35 * model.graph.size,
        "text-anchor": box.anchor,
        "aria-hidden": "true",
      },
      text,
    ),
  );
  // The box of the output of two classes bears the name of the class that is the answer.
  const single = isSingle(model, i);
  const room = Math.max(Math.floor(box.width / (0.62 * model.graph.size)) - 1, 6);
  const answers = single && lines.length === 1 ? model.outputs.map((name) => short(className(name), room)) : null;
  if (lines.length === 1 && box.lines[0] === concept.name) setText(lines[0], conceptName(model, i));
  const ring = box.ring
    ? draw("circle", {
        class: `ring ${model.weights[i * model.n + i] >= 0 ? "up" : "down"}`,
        cx: box.ring.x,
        cy: box.ring.y,
        r: box.ring.radius,
        "stroke-width": box.ring.width,
      })
    : null;
  const clip = `box-${i}`;
  const outline = { x: box.x, y: box.y, width: box.width, height: box.height, rx: 4 };
  // Names in boxes may be shortened, so they are outside the button, which is labelled with the full name.
  const button = draw(
    "g",
    {
      role: "button",
      tabindex: -1,
      "aria-pressed": "false",
      "data-concept": i,
      onclick: () => on.choose(i),
      onpointerenter: () => on.say(describe()),
      onpointerleave: () => on.say(""),
    },
    draw("clipPath", { id: clip }, draw("rect", outline)),
    draw("rect", { class: "ground", ...outline }),
    draw("g", { "clip-path": `url(#${clip})` }, meter),
    draw("rect", { class: "frame", ...outline }),
  );
  const element = draw("g", {}, button, ...lines, ring);
  let words = "";
  const describe = () => words;
  return {
    element,
    button,
    focusable(yes) {
      setAttribute(button, "tabindex", yes ? 0 : -1);
    },
    update(value, state, view) {
      const { low, high } = page.rangeOfState(i);
      const inverted = page.signOf(view, i) < 0;
      const share = Math.min(Math.max((value - low) / (high - low), 0), 1);
      const tall = box.height * (inverted ? 1 - share : share);
      setAttribute(meter, "height", tall.toFixed(1));
      setAttribute(meter, "y", (box.y + box.height - tall).toFixed(1));
      if (answers) setText(lines[0], answers[inverted ? 0 : 1]);
      const held = i in state.clamp;
      const chosen = state.chosen === i;
      const far = state.chosen !== null && !chosen && !view.neighbours.has(i);
      setAttribute(
        element,
        "class",
        `node ${concept.kind}${chosen ? " chosen" : ""}${held ? " held" : ""}${far ? " far" : ""}`,
      );
      setAttribute(button, "aria-pressed", String(chosen));
      words = `${oneLine(concept.name)}: state ${number(value)} at step ${view.step}${held ? ", held" : ""}`;
      setAttribute(button, "aria-label", words);
    },
  };
}

/**
 * Return the concept that an arrow key leads to: right to the one it drives most, left to the one that drives it most,
 * up and down to those above and below.
 */
export function neighbour(page, graph, from, key) {
  const { edges } = page.model;
  const here = graph.boxes.get(from);
  if (key === "ArrowRight")
    return edges.find((edge) => edge.source === from && edge.target !== from && graph.boxes.has(edge.target))?.target;
  if (key === "ArrowLeft")
    return edges.find((edge) => edge.target === from && edge.source !== from && graph.boxes.has(edge.source))?.source;
  const below = key === "ArrowDown" ? 1 : -1;
  const middle = (box) => [box.x + box.width / 2, box.y + box.height / 2];
  const [x, y] = middle(here);
  let best,
    least = Infinity;
  for (const box of graph.boxes.values()) {
    const [otherX, otherY] = middle(box);
    const [across, along] = [Math.abs(otherX - x), below * (otherY - y)];
    if (along <= 0 || 3 * across + along >= least) continue;
    [best, least] = [box.concept, 3 * across + along];
  }
  return best;
}
