// Mouse, touch and keyboard on the drawing: select, move, pull arrows, name, pan and zoom.

import { make, setAttribute, setStyle } from "./dom.js";
import { GRID } from "./board_layout.js";
import { nameOf } from "./board_graph.js";
import { t } from "./board_text.js";

const NEAR = 4; // pixels within which a movement counts as a click
const NEW_WEIGHT = 0.5;
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** Connect the drawing with the board; returns functions that buttons use too. */
export function handsOn(app, graph) {
  const { board } = app;
  const { svg, frame } = graph;
  const pointers = new Map(); // on the background, for panning and pinching
  let gesture = null,
    connecting = null; // {source, target}: by keyboard
  let stop = null; // the concept in the tab order

  const snapped = (value) => (app.snap() ? Math.round(value / GRID) * GRID : Math.round(value));
  const select = (changes) => board.show({ concepts: [], edge: null, tab: "selected", ...changes });

  // ---- pointers ------------------------------------------------------------------------------------------------

  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    closeNaming();
    const handle = event.target.closest("[data-handle]"),
      node = event.target.closest("[data-concept]"),
      arrow = event.target.closest("[data-arrow]");
    if (handle) gesture = pull(Number(handle.dataset.handle));
    else if (node) gesture = carry(Number(node.dataset.concept), event);
    else if (arrow) return select({ edge: arrow.dataset.arrow.split(" ").map(Number) });
    else {
      pointers.set(event.pointerId, [event.clientX, event.clientY]);
      gesture = pointers.size > 1 ? pinch() : event.shiftKey ? lasso(event) : pan(event);
    }
    svg.setPointerCapture(event.pointerId);
    if (!node) event.preventDefault();
  });
  svg.addEventListener("pointermove", (event) => {
    if (pointers.has(event.pointerId)) pointers.set(event.pointerId, [event.clientX, event.clientY]);
    gesture?.move(event);
  });
  for (const name of ["pointerup", "pointercancel"])
    svg.addEventListener(name, (event) => {
      pointers.delete(event.pointerId);
      const done = gesture;
      gesture = pointers.size
        ? pan({ clientX: [...pointers.values()][0][0], clientY: [...pointers.values()][0][1] })
        : null;
      done?.end(event, name === "pointerup");
    });
  svg.addEventListener("dblclick", (event) => {
    const node = event.target.closest("[data-concept]");
    if (node) name(Number(node.dataset.concept));
    else if (!event.target.closest("[data-arrow]")) add(...graph.pointAt(event.clientX, event.clientY));
    event.preventDefault();
  });
  svg.addEventListener(
    "wheel",
    (event) => {
      if (!event.ctrlKey && !event.metaKey) return;
      zoomBy(Math.exp(-0.002 * event.deltaY), event.clientX, event.clientY);
      event.preventDefault();
    },
    { passive: false },
  );

  function pan({ clientX, clientY }) {
    const { x, y } = graph.view;
    let moved = false;
    return {
      move(event) {
        moved ||= Math.hypot(event.clientX - clientX, event.clientY - clientY) > NEAR;
        if (moved) graph.setView({ x: x + event.clientX - clientX, y: y + event.clientY - clientY });
      },
      end: () => !moved && (board.ui.concepts.length || board.ui.edge) && select({}),
    };
  }

  function pinch() {
    const apart = () => {
      const [[ax, ay], [bx, by]] = [...pointers.values()];
      return { size: Math.hypot(ax - bx, ay - by) || 1, middle: [(ax + bx) / 2, (ay + by) / 2] };
    };
    let before = apart();
    return {
      move() {
        if (pointers.size < 2) return;
        const now = apart();
        zoomBy(now.size / before.size, ...now.middle);
        before = now;
      },
      end() {},
    };
  }

  function lasso(event) {
    const [x, y] = graph.pointAt(event.clientX, event.clientY);
    const inside = new Set();
    return {
      move(to) {
        const [ex, ey] = graph.pointAt(to.clientX, to.clientY);
        const [left, right, top, bottom] = [Math.min(x, ex), Math.max(x, ex), Math.min(y, ey), Math.max(y, ey)];
        for (const [key, value] of Object.entries({ x: left, y: top, width: right - left, height: bottom - top }))
          setAttribute(graph.lasso, key, value);
        setAttribute(graph.lasso, "hidden", null);
        inside.clear();
        for (const [id, box] of graph.boxes())
          if (box.x > left && box.x < right && box.y > top && box.y < bottom) inside.add(id);
      },
      end() {
        setAttribute(graph.lasso, "hidden", true);
        if (inside.size) select({ concepts: [...inside] });
      },
    };
  }

  /** Select a concept, and move it with the others that are selected. */
  function carry(id, event) {
    const many = event.shiftKey || event.ctrlKey || event.metaKey;
    const before = board.ui.concepts;
    const chosen = before.includes(id) ? before : many ? [...before, id] : [id];
    if (!before.includes(id)) select({ concepts: chosen });
    graph.nodes.get(id).button.focus({ preventScroll: true });
    const from = new Map(chosen.map((one) => [one, [graph.boxes().get(one).x, graph.boxes().get(one).y]]));
    const start = [event.clientX, event.clientY];
    let to = null;
    return {
      move({ clientX, clientY }) {
        const [dx, dy] = [clientX - start[0], clientY - start[1]];
        if (!to && Math.hypot(dx, dy) <= NEAR) return;
        to = new Map(
          [...from].map(([one, [x, y]]) => [
            one,
            [snapped(x + dx / graph.view.zoom), snapped(y + dy / graph.view.zoom)],
          ]),
        );
        graph.drag(board.doc, to);
      },
      end() {
        graph.settleDown();
        if (to) app.act({ do: "move", to: Object.fromEntries(to) });
        else if (before.includes(id)) select({ concepts: many ? before.filter((one) => one !== id) : [id] });
      },
    };
  }

  /** Pull an arrow from a concept to the one on which it is dropped. */
  function pull(source) {
    const box = graph.boxes().get(source);
    const over = ({ clientX, clientY }) => {
      const node = document.elementFromPoint(clientX, clientY)?.closest?.("[data-concept], [data-handle]");
      return node ? Number(node.dataset.concept ?? node.dataset.handle) : null;
    };
    return {
      move(event) {
        const [x, y] = graph.pointAt(event.clientX, event.clientY);
        setAttribute(graph.rubber, "d", `M${box.x + box.width / 2},${box.y}L${x},${y}`);
        setAttribute(graph.rubber, "hidden", null);
        app.look({ target: over(event) });
      },
      end(event, finished) {
        setAttribute(graph.rubber, "hidden", true);
        app.look({ target: null });
        const target = finished ? over(event) : null;
        if (target === source) app.notice(t("selfByAccident", { name: nameOf(board.doc, source) }));
        else if (target !== null) connect(source, target);
      },
    };
  }

  // ---- actions -------------------------------------------------------------------------------------------------

  function connect(source, target) {
    const known = board.doc.edges.some((edge) => edge.source === source && edge.target === target);
    if (!known && !app.act({ do: "connect", source, target, weight: NEW_WEIGHT })) return;
    select({ edge: [source, target] });
    app.say(t("saidArrow", { source: nameOf(board.doc, source), target: nameOf(board.doc, target) }));
  }

  /** Add a concept at a position, or at a free place near the middle of the view, and ask for its name. */
  function add(x, y) {
    const rect = svg.getBoundingClientRect();
    let [px, py] = x === undefined ? graph.pointAt(rect.left + rect.width / 2, rect.top + rect.height / 2) : [x, y];
    const taken = () =>
      [...graph.boxes().values()].some((box) => Math.abs(box.x - px) < 130 && Math.abs(box.y - py) < 60);
    if (x === undefined)
      for (let k = 1; k < 200 && taken(); k++) {
        const angle = 2.4 * k;
        [px, py] = graph.pointAt(rect.left + rect.width / 2, rect.top + rect.height / 2);
        [px, py] = [px + 30 * Math.sqrt(k) * 1.6 * Math.cos(angle), py + 30 * Math.sqrt(k) * Math.sin(angle)];
      }
    const id = board.doc.next;
    if (!app.act({ do: "add", x: snapped(px), y: snapped(py) })) return;
    select({ concepts: [id] });
    name(id, true);
  }

  function remove() {
    const { concepts, edge } = board.ui;
    if (edge) app.act({ do: "disconnect", source: edge[0], target: edge[1] });
    else if (concepts.length) app.act({ do: "remove", ids: concepts });
    const left = [...graph.nodes.keys()][0];
    if (!concepts.includes(left) && !graph.nodes.has(stop)) stopAt(left);
  }

  function zoomBy(factor, clientX, clientY) {
    const rect = svg.getBoundingClientRect();
    const [px, py] = [clientX ?? rect.left + rect.width / 2, clientY ?? rect.top + rect.height / 2];
    const zoom = Math.min(Math.max(graph.view.zoom * factor, 0.15), 3);
    const [x, y] = graph.pointAt(px, py);
    graph.setView({ zoom, x: px - rect.left - x * zoom, y: py - rect.top - y * zoom });
  }

  // ---- naming --------------------------------------------------------------------------------------------------

  let naming = null;

  /** Ask for the name of a concept in a field over its box. */
  function name(id, isNew = false) {
    closeNaming();
    const box = graph.boxes().get(id);
    const { x, y, zoom } = graph.view;
    const field = make("input", {
      type: "text",
      class: "naming",
      "aria-label": t("nameOfConcept"),
      autocomplete: "off",
    });
    field.value = nameOf(board.doc, id);
    setStyle(field, "left", `${Math.max(x + zoom * box.x - 90, 4)}px`);
    setStyle(field, "top", `${Math.max(y + zoom * box.y - 19, 4)}px`);
    naming = { id, field, isNew };
    field.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Enter" && !event.isComposing) {
        if (rename(id, field.value)) closeNaming(true, false);
        event.preventDefault();
      } else if (event.key === "Escape") closeNaming(true, false);
    });
    field.addEventListener("blur", () => closeNaming());
    frame.append(field);
    field.focus({ preventScroll: true });
    field.select();
  }

  function rename(id, text) {
    if (text.trim() === nameOf(board.doc, id)) return true;
    return app.act({ do: "rename", id, name: text });
  }

  function closeNaming(focus = false, keep = true) {
    if (!naming) return;
    const { id, field } = naming;
    naming = null;
    if (keep && field.value.trim() && graph.nodes.has(id)) rename(id, field.value);
    field.remove();
    if (focus) graph.nodes.get(id)?.button.focus({ preventScroll: true });
  }

  // ---- keyboard ------------------------------------------------------------------------------------------------

  function stopAt(id) {
    if (stop === id) return;
    const before = graph.nodes.get(stop);
    if (before) setAttribute(before.button, "tabindex", -1);
    stop = id;
    const now = graph.nodes.get(id);
    if (now) setAttribute(now.button, "tabindex", 0);
  }
  frame.addEventListener("focusin", ({ target }) => {
    if (target.matches("[data-concept]")) stopAt(Number(target.dataset.concept));
  });
  frame.addEventListener("keydown", (event) => {
    if (!event.target.matches?.("[data-concept]")) return;
    if (handleKey(event, Number(event.target.dataset.concept))) event.preventDefault();
  });

  function handleKey(event, id) {
    const { key } = event;
    if (event.ctrlKey || event.metaKey) {
      if (key.toLowerCase() !== "a") return false;
      select({ concepts: board.doc.concepts.map((one) => one.id) });
      return true;
    }
    if (key in STEPS && event.altKey) return nudge(id, STEPS[key]);
    if (key in STEPS) {
      const next = neighbour(id, STEPS[key]);
      if (next !== null) go(next);
      return true;
    }
    if (connecting && key === "Enter") return finish(id);
    if (connecting && key === "Escape") return cancel();
    if (key === "Enter" || key === " ") {
      const { concepts } = board.ui;
      if (event.shiftKey)
        select({ concepts: concepts.includes(id) ? concepts.filter((one) => one !== id) : [...concepts, id] });
      else select({ concepts: [id] });
    } else if (key === "F2") name(id);
    else if (key === "a") begin(id);
    else if (key === "n" || key === "Insert") add();
    else if (key === "Delete" || key === "Backspace") {
      if (!board.ui.concepts.includes(id) && !board.ui.edge) select({ concepts: [id] });
      const next = neighbour(id, [1, 0]) ?? neighbour(id, [-1, 0]) ?? neighbour(id, [0, 1]) ?? neighbour(id, [0, -1]);
      remove();
      if (next !== null && graph.nodes.has(next)) go(next);
    } else if (key === "Escape") select({});
    else return false;
    return true;
  }

  function go(id) {
    graph.nodes.get(id).button.focus();
    if (connecting) {
      connecting.target = id;
      app.look({ target: id });
    }
  }

  function begin(id) {
    connecting = { source: id, target: id };
    app.say(t("saidConnecting", { name: nameOf(board.doc, id) }));
    setAttribute(svg, "data-connecting", "");
  }

  function finish(id) {
    const { source } = connecting;
    cancel();
    if (source === id) app.notice(t("selfByAccident", { name: nameOf(board.doc, id) }));
    else {
      connect(source, id);
      app.focusWeight(() => graph.nodes.get(source)?.button.focus());
    }
    return true;
  }

  function cancel() {
    connecting = null;
    app.look({ target: null });
    setAttribute(svg, "data-connecting", null);
    return true;
  }

  function nudge(id, [dx, dy]) {
    const ids = board.ui.concepts.includes(id) ? board.ui.concepts : [id];
    const to = Object.fromEntries(
      ids.map((one) => {
        const { x, y } = graph.boxes().get(one);
        return [one, [snapped(x) + dx * GRID, snapped(y) + dy * GRID]];
      }),
    );
    app.act({ do: "move", to }, `nudge ${ids.join(" ")}`);
    return true;
  }

  /** Return the nearest concept in a direction, or null. */
  function neighbour(id, [dx, dy]) {
    const here = graph.boxes().get(id);
    let [best, least] = [null, Infinity];
    for (const [other, { x, y }] of graph.boxes()) {
      const along = dx * (x - here.x) + dy * (y - here.y),
        across = Math.abs(dy * (x - here.x) - dx * (y - here.y));
      if (other !== id && along > 0 && along + 2.5 * across < least) [best, least] = [other, along + 2.5 * across];
    }
    return best;
  }

  return {
    add,
    remove,
    name,
    connect,
    zoomBy,
    /** Keep one concept in the tab order. */
    update() {
      if (!graph.nodes.has(stop)) {
        stop = null;
        stopAt(board.ui.concepts[0] ?? board.doc.concepts[0]?.id ?? null);
      } else if (board.ui.concepts.length === 1 && !frame.contains(document.activeElement))
        stopAt(board.ui.concepts[0]);
    },
    focus: (id) => graph.nodes.get(id)?.button.focus(),
  };
}
