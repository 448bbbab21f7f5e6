// The drawing: concepts as boxes, arrows between them. Elements are kept by id and only changed ones are touched.

import { draw, make, setAttribute, setStyle, setText } from "./dom.js";
import { arrowOf, boxOf, strongestEdges, usuallyShown } from "./board_layout.js";
import { t, tn } from "./board_text.js";
import { signed } from "./words.js";

const THINNEST = 1,
  THICKEST = 5;
const MOST_LABELS = 80; // arrows up to which weights are written beside them
export const COLORS = ["#fde2cf", "#fff1cf", "#dff3d8", "#d3eef2", "#dce6fb", "#eadcf7", "#f9d9e6", "#e3e7eb"];

/** Return the fill of a concept: its own colour, or that of its group. */
export function fillOf({ details }, groups) {
  if (typeof details.color === "string" && /^#[0-9a-f]{6}$/i.test(details.color)) return details.color;
  const place = groups.indexOf(details.group);
  return place < 0 ? null : COLORS[(place + 3) % COLORS.length];
}

/** Return the groups of a document in the order of their first concept. */
export function groupsOf(doc) {
  return [...new Set(doc.concepts.map(({ details }) => details.group).filter((group) => typeof group === "string"))];
}

/** Return the arrows to draw: the strongest, those of selected concepts, and the selected one. */
export function shownEdges(doc, ui) {
  const most = ui.shown ?? usuallyShown(doc);
  if (most >= doc.edges.length) return doc.edges;
  const strongest = new Set(strongestEdges(doc.edges, most));
  const chosen = new Set(ui.concepts);
  return doc.edges.filter(
    (edge) =>
      strongest.has(edge) ||
      chosen.has(edge.source) ||
      chosen.has(edge.target) ||
      (ui.edge && ui.edge[0] === edge.source && ui.edge[1] === edge.target),
  );
}

/** Create the drawing. `places` returns the positions; `look` returns the look of an arrow that is not usual. */
export function drawGraph(board, places) {
  const lines = draw("g", { class: "arrows" });
  const nodes = draw("g", { class: "nodes" });
  const rubber = draw("path", { class: "rubber", hidden: true });
  const lasso = draw("rect", { class: "lasso", hidden: true });
  const scene = draw("g", {}, lines, nodes, rubber, lasso);
  const svg = draw("svg", { class: "board-map", role: "group", "aria-label": t("graphLabel") }, scene);
  // While concepts are dragged, copies of them and of their arrows move in a layer of their own, so that the browser
  // need not paint the other arrows again in every frame.
  const moving = draw("g", { class: "nodes" });
  const layer = draw("svg", { class: "board-map over", "aria-hidden": "true" }, moving);
  let dragged = null,
    stale = false; // whether boxes were moved by a drag
  const shownNodes = new Map(),
    shownArrows = new Map();
  const near = new Map(); // keys of the arrows of each concept
  let boxes = new Map(),
    drawnDoc = null,
    view = { x: 0, y: 0, zoom: 1 };

  function widthOf(weight, largest) {
    return THINNEST + (THICKEST - THINNEST) * Math.min(Math.abs(weight) / largest, 1);
  }

  function drawNode(id) {
    const ground = draw("rect", { class: "ground", rx: 7 });
    const meter = draw("rect", { class: "meter", height: 4, rx: 2, hidden: true });
    const text = draw("text", { "text-anchor": "middle", "aria-hidden": "true" });
    const button = draw("g", { role: "button", tabindex: -1, "data-concept": id }, ground, meter, text);
    const handle = draw(
      "g",
      { class: "handle", "data-handle": id, "aria-hidden": "true" },
      draw("circle", { class: "reach", r: 16 }),
      draw("circle", { r: 8 }),
      draw("path", { d: "M-3.5,0H3.5M0.5,-3L3.5,0L0.5,3" }),
    );
    const element = draw("g", { class: "node" }, button, handle);
    nodes.append(element);
    return { element, button, ground, meter, text, handle, name: null };
  }

  function updateNode(node, concept, box, { groups, chosen, dimmed, state, connecting }) {
    if (node.name !== concept.name) {
      node.name = concept.name;
      node.text.replaceChildren(
        ...box.lines.map((line, k) =>
          draw("tspan", { x: 0, y: (k - (box.lines.length - 1) / 2) * box.line + 4.5 }, line),
        ),
      );
      for (const [key, value] of Object.entries({
        x: -box.width / 2,
        y: -box.height / 2,
        width: box.width,
        height: box.height,
      }))
        setAttribute(node.ground, key, value);
      setAttribute(node.handle, "transform", `translate(${box.width / 2 + 3},0)`);
    }
    moveNode(node, box);
    const fill = fillOf(concept, groups);
    setStyle(node.ground, "fill", fill ?? "");
    setAttribute(
      node.element,
      "class",
      `node${chosen ? " chosen" : ""}${dimmed ? " dimmed" : ""}${fill ? " coloured" : ""}${connecting ? " target" : ""}${concept.details.external ? " external" : ""}`,
    );
    setAttribute(node.button, "aria-pressed", String(chosen));
    const [into, out] = counts.get(concept.id) ?? [0, 0];
    setAttribute(
      node.button,
      "aria-label",
      t("conceptLabel", { name: concept.name || "–", into, out }) + (state?.words ?? ""),
    );
    setAttribute(node.meter, "hidden", !state);
    if (state) {
      setAttribute(node.meter, "x", -box.width / 2 + 6);
      setAttribute(node.meter, "y", box.height / 2 - 8);
      setAttribute(node.meter, "width", Math.max((box.width - 12) * state.share, 0).toFixed(1));
    }
  }
  let counts = new Map();

  function moveNode(node, { x, y }) {
    setAttribute(node.element, "transform", `translate(${x.toFixed(1)},${y.toFixed(1)})`);
  }

  function drawArrow(key) {
    const line = draw("path", { class: "line" });
    const head = draw("polygon", { class: "head" });
    const reach = draw("path", { class: "reach" });
    const words = draw("text", { class: "weight", "text-anchor": "middle" });
    const title = draw("title", {});
    const element = draw(
      "g",
      { class: "arrow", "data-arrow": key, "aria-hidden": "true" },
      title,
      line,
      head,
      reach,
      words,
    );
    lines.append(element);
    return { element, line, head, reach, words, title };
  }

  function shapeArrow(arrow, edge, largest) {
    const width = widthOf(edge.weight, largest);
    const { path, head, middle } = arrowOf(boxes.get(edge.source), boxes.get(edge.target), width);
    setAttribute(arrow.line, "d", path);
    setAttribute(arrow.reach, "d", path);
    setAttribute(arrow.head, "points", head);
    setAttribute(arrow.line, "stroke-width", width.toFixed(2));
    setAttribute(arrow.words, "x", middle[0].toFixed(1));
    setAttribute(arrow.words, "y", (middle[1] - 4).toFixed(1));
  }

  /** Remove elements of what no longer exists. */
  function drop(shown, keep) {
    for (const [key, one] of shown)
      if (!keep.has(key)) {
        one.element.remove();
        shown.delete(key);
      }
  }

  /** Draw a document. `look` may have states by id, colours of arrows by key, and what to dim. */
  function update(doc, ui, look = {}) {
    settleDown();
    const where = places(doc);
    const largest = Math.max(1, ...doc.edges.map(({ weight }) => Math.abs(weight)));
    const groups = groupsOf(doc);
    const found = ui.search.trim().toLowerCase();
    // Boxes and arrows of unchanged concepts are kept, so that a selection in a large map takes no time.
    const before = stale ? new Map() : boxes;
    stale = false;
    boxes = new Map(
      doc.concepts.map((concept) => {
        const [x, y] = where.get(concept.id);
        const known = before.get(concept.id);
        if (known && known.name === concept.name && known.x === x && known.y === y) return [concept.id, known];
        return [concept.id, { ...boxOf(concept.name), name: concept.name, x, y }];
      }),
    );
    const names = new Map(doc.concepts.map(({ id, name }) => [id, name]));
    if (doc !== drawnDoc) {
      counts = new Map();
      near.clear();
      for (const edge of doc.edges) {
        const key = `${edge.source} ${edge.target}`;
        for (const [id, k] of [
          [edge.target, 0],
          [edge.source, 1],
        ]) {
          if (!counts.has(id)) counts.set(id, [0, 0]);
          counts.get(id)[k]++;
          if (!near.has(id)) near.set(id, new Set());
          near.get(id).add(key);
        }
      }
      drop(shownNodes, new Set(doc.concepts.map(({ id }) => id)));
      drop(shownArrows, new Set(doc.edges.map(({ source, target }) => `${source} ${target}`)));
    }
    const chosen = new Set(ui.concepts);
    const visible = new Set(shownEdges(doc, ui));
    const labels = visible.size <= MOST_LABELS;
    for (const concept of doc.concepts) {
      if (!shownNodes.has(concept.id)) shownNodes.set(concept.id, drawNode(concept.id));
      updateNode(shownNodes.get(concept.id), concept, boxes.get(concept.id), {
        groups,
        chosen: chosen.has(concept.id),
        dimmed: found !== "" && !concept.name.toLowerCase().includes(found),
        state: look.states?.get(concept.id),
        connecting: look.target === concept.id,
      });
    }
    for (const edge of doc.edges) {
      const key = `${edge.source} ${edge.target}`;
      if (!shownArrows.has(key)) shownArrows.set(key, drawArrow(key));
      const arrow = shownArrows.get(key);
      const ends = [boxes.get(edge.source), boxes.get(edge.target)];
      if (arrow.edge !== edge || arrow.largest !== largest || ends.some((box, k) => box !== arrow.ends[k])) {
        Object.assign(arrow, { edge, largest, ends });
        shapeArrow(arrow, edge, largest);
      }
      const picked = ui.edge && ui.edge[0] === edge.source && ui.edge[1] === edge.target;
      const other = look.arrows?.get(key);
      if (!visible.has(edge)) {
        setAttribute(arrow.element, "class", "arrow gone");
        continue;
      }
      const sign = edge.weight > 0 ? "up" : edge.weight < 0 ? "down" : "none";
      setAttribute(arrow.element, "class", `arrow ${sign}${picked ? " picked" : ""}${other ? ` ${other.class}` : ""}`);
      setText(arrow.words, labels || picked ? signed(edge.weight, 2) : "");
      setText(
        arrow.title,
        t("arrowLabel", {
          source: names.get(edge.source),
          target: names.get(edge.target),
          weight: signed(edge.weight),
        }) + (other ? `, ${other.words}` : ""),
      );
      if (picked) lines.append(arrow.element);
    }
    drawnDoc = doc;
  }

  /** Copy concepts and their arrows to the layer, and hide the originals. */
  function lift(doc, ids) {
    const keys = new Set(ids.flatMap((id) => [...(near.get(id) ?? [])]));
    const edges = doc.edges.filter(({ source, target }) => keys.has(`${source} ${target}`));
    const largest = Math.max(1, ...doc.edges.map(({ weight }) => Math.abs(weight)));
    const copy = (one, ...names) => {
      const element = one.element.cloneNode(true);
      one.element.classList.add("lifted");
      moving.append(element);
      return { element, ...Object.fromEntries(names.map((name) => [name, element.querySelector(`.${name}`)])) };
    };
    const arrows = edges.map((edge) => [
      edge,
      copy(shownArrows.get(`${edge.source} ${edge.target}`), "line", "head", "reach"),
    ]);
    arrows.forEach(([edge, arrow]) => (arrow.words = arrow.element.querySelector(".weight")));
    const nodesUp = new Map(ids.map((id) => [id, copy(shownNodes.get(id))]));
    dragged = { doc, arrows, nodes: nodesUp, largest };
  }

  function settleDown() {
    if (!dragged) return;
    dragged = null;
    stale = true;
    moving.replaceChildren();
    for (const element of scene.querySelectorAll(".lifted")) element.classList.remove("lifted");
  }

  /** Move some concepts without a change of the document: only they and their arrows are redrawn. */
  function drag(doc, to) {
    if (!dragged) lift(doc, [...to.keys()]);
    for (const [id, [x, y]] of to) {
      Object.assign(boxes.get(id), { x, y });
      moveNode(dragged.nodes.get(id), boxes.get(id));
    }
    for (const [edge, arrow] of dragged.arrows) shapeArrow(arrow, edge, dragged.largest);
  }

  function setView(changes) {
    view = { ...view, ...changes };
    for (const group of [scene, moving])
      setAttribute(
        group,
        "transform",
        `translate(${view.x.toFixed(1)},${view.y.toFixed(1)}) scale(${view.zoom.toFixed(4)})`,
      );
  }

  /** Return the position in the drawing of a point of the screen. */
  function pointAt(clientX, clientY) {
    const frame = svg.getBoundingClientRect();
    return [(clientX - frame.left - view.x) / view.zoom, (clientY - frame.top - view.y) / view.zoom];
  }

  /** Return the rectangle around all concepts. */
  function bounds() {
    const all = [...boxes.values()];
    if (!all.length) return { left: 0, top: 0, right: 400, bottom: 300 };
    return {
      left: Math.min(...all.map(({ x, width }) => x - width / 2)) - 30,
      top: Math.min(...all.map(({ y, height }) => y - height / 2)) - 40,
      right: Math.max(...all.map(({ x, width }) => x + width / 2)) + 40,
      bottom: Math.max(...all.map(({ y, height }) => y + height / 2)) + 30,
    };
  }

  /** Show all concepts, at most at their usual size. */
  function fit() {
    const { left, top, right, bottom } = bounds();
    const { width, height } = svg.getBoundingClientRect();
    const zoom = Math.min(1, width / (right - left), height / (bottom - top)) || 1;
    setView({ zoom, x: (width - zoom * (right + left)) / 2, y: (height - zoom * (bottom + top)) / 2 });
  }

  /** Fill the paper with the map, or return to the view. */
  function onPaper(yes) {
    const { left, top, right, bottom } = bounds();
    setAttribute(svg, "viewBox", yes ? `${left} ${top} ${right - left} ${bottom - top}` : null);
    if (yes) setAttribute(scene, "transform", null);
    else setView({});
  }

  return {
    onPaper,
    svg,
    scene,
    rubber,
    lasso,
    update,
    drag,
    settleDown,
    setView,
    pointAt,
    bounds,
    fit,
    boxes: () => boxes,
    nodes: shownNodes,
    get view() {
      return view;
    },
    frame: make("div", { class: "board-frame" }, svg, layer),
  };
}

export function nameOf(doc, id) {
  return doc.concepts.find((one) => one.id === id)?.name ?? "";
}

/** Describe how many concepts and arrows there are. */
export function sizeOf(doc) {
  return `${tn("countConcepts", doc.concepts.length)}, ${tn("countArrows", doc.edges.filter(({ weight }) => weight).length)}`;
}
