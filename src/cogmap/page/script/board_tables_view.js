// The map as a matrix and as lists: both are editable with the keyboard alone.

import { button, make, setAttribute, setText, table } from "./dom.js";
import { nameOf } from "./board_graph.js";
import { readWeight } from "./board_panel.js";
import { t } from "./board_text.js";
import { number, short } from "./words.js";

/** Return the matrix: a grid with one cell in the tab order, edited in place. */
export function matrixPart(app) {
  const element = make("div", { class: "matrix-view" });
  const cells = new Map();
  let drawn = null,
    current = [0, 0],
    ids = [];

  function build(doc) {
    cells.clear();
    ids = doc.concepts.map(({ id }) => id);
    const head = make(
      "tr",
      {},
      make("td", { class: "corner" }, t("matrixCorner")),
      ...doc.concepts.map(({ name }) => make("th", { scope: "col", title: name }, make("span", {}, short(name, 18)))),
    );
    const rows = doc.concepts.map((source) =>
      make(
        "tr",
        {},
        make("th", { scope: "row", title: source.name }, short(source.name, 24)),
        ...doc.concepts.map((target) => {
          const cell = make("td", { role: "gridcell", tabindex: -1, "data-edge": `${source.id} ${target.id}` });
          cells.set(`${source.id} ${target.id}`, cell);
          return cell;
        }),
      ),
    );
    element.replaceChildren(
      make("p", { class: "soft" }, doc.concepts.length ? t("matrixHint") : t("nothingYet")),
      make(
        "div",
        { class: "scroll matrix" },
        make(
          "table",
          { role: "grid", "aria-label": t("viewMatrix") },
          make("thead", {}, head),
          make("tbody", {}, ...rows),
        ),
      ),
    );
    if (ids.length) focusable([0, 0], false);
  }

  function focusable([row, column], focus) {
    if (!ids.length) return;
    cellAt(current)?.setAttribute("tabindex", -1);
    current = [Math.min(Math.max(row, 0), ids.length - 1), Math.min(Math.max(column, 0), ids.length - 1)];
    cellAt(current).setAttribute("tabindex", 0);
    if (focus) cellAt(current).focus();
  }

  const cellAt = ([row, column]) => cells.get(`${ids[row]} ${ids[column]}`);

  function edit(cell, first = null) {
    const [source, target] = cell.dataset.edge.split(" ").map(Number);
    const input = make("input", { type: "text", class: "cell-entry", "aria-label": t("weight"), autocomplete: "off" });
    input.value = first ?? (cell.textContent ? String(app.edgeWeight(source, target)) : "");
    let open = true;
    const close = (keep, focus) => {
      if (!open) return;
      open = false;
      input.remove();
      setText(cell, cell.dataset.text ?? "");
      if (keep) enter(source, target, input.value);
      if (focus) cell.focus();
    };
    input.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Enter" || event.key === "Tab") close(true, event.key === "Enter");
      else if (event.key === "Escape") close(false, true);
    });
    input.addEventListener("blur", () => close(true, false));
    cell.dataset.text = cell.textContent;
    cell.replaceChildren(input);
    input.focus();
    if (first === null) input.select();
  }

  function enter(source, target, text) {
    const known = app.board.doc.edges.some((edge) => edge.source === source && edge.target === target);
    if (!text.trim()) return known && app.act({ do: "disconnect", source, target });
    const weight = readWeight(app, text);
    if (weight === null || (weight === 0 && !known)) return false;
    return app.act({ do: "weight", source, target, weight });
  }

  element.addEventListener("click", ({ target }) => {
    const cell = target.closest("[data-edge]");
    if (cell && target === cell) {
      const [source, end] = cell.dataset.edge.split(" ").map(Number);
      focusable([ids.indexOf(source), ids.indexOf(end)], true);
      edit(cell);
    }
  });
  element.addEventListener("focusin", ({ target }) => {
    if (!target.matches("[data-edge]")) return;
    const [source, end] = target.dataset.edge.split(" ").map(Number);
    focusable([ids.indexOf(source), ids.indexOf(end)], false);
  });
  element.addEventListener("keydown", (event) => {
    if (!event.target.matches?.("[data-edge]")) return;
    const [row, column] = current;
    const steps = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      Home: [row, 0],
      End: [row, ids.length - 1],
    };
    if (event.key in steps) focusable(steps[event.key], true);
    else if (event.key === "Enter" || event.key === "F2") edit(event.target);
    else if (event.key === "Delete" || event.key === "Backspace") enter(ids[row], ids[column], "");
    else if (event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey) edit(event.target, event.key);
    else return;
    event.preventDefault();
  });

  function update({ doc }) {
    const same =
      drawn &&
      doc.concepts.length === drawn.concepts.length &&
      doc.concepts.every((one, i) => one.id === drawn.concepts[i].id && one.name === drawn.concepts[i].name);
    if (!same) build(doc);
    const weights = new Map(doc.edges.map(({ source, target, weight }) => [`${source} ${target}`, weight]));
    for (const [key, cell] of cells) {
      const weight = weights.get(key);
      if (same && drawn.weights.get(key) === weight) continue;
      setText(cell, weight === undefined ? "" : number(weight));
      setAttribute(cell, "class", weight > 0 ? "up" : weight < 0 ? "down" : null);
    }
    drawn = { concepts: doc.concepts, weights };
  }
  return { element, update };
}

/** Return the lists of concepts and arrows, with forms to add both. */
export function listPart(app) {
  const name = make("input", {
    type: "text",
    class: "entry",
    "aria-label": t("nameOfConcept"),
    placeholder: t("nameOfConcept"),
    autocomplete: "off",
    id: "new-concept",
  });
  const addConcept = () => {
    if (!app.act({ do: "add", name: name.value })) return;
    name.value = "";
    name.focus();
  };
  name.addEventListener("keydown", (event) => event.key === "Enter" && addConcept());
  const source = make("select", { "aria-label": t("from"), id: "new-source" });
  const target = make("select", { "aria-label": t("to"), id: "new-target" });
  const weight = make("input", {
    type: "text",
    class: "entry number",
    "aria-label": t("weight"),
    value: "0.5",
    autocomplete: "off",
    id: "new-weight",
  });
  const addArrow = () => {
    const value = readWeight(app, weight.value);
    if (value === null || !source.value || !target.value) return;
    const [from, to] = [Number(source.value), Number(target.value)];
    if (app.board.doc.edges.some((edge) => edge.source === from && edge.target === to))
      return app.notice(t("arrowExists"));
    if (from === to && !confirmed(from)) return;
    app.act({ do: "connect", source: from, target: to, weight: value });
    app.say(t("saidArrow", { source: nameOf(app.board.doc, from), target: nameOf(app.board.doc, to) }));
    source.focus();
  };
  // An arrow onto itself is asked for twice, because it is often a mistake.
  let asked = null;
  const confirmed = (id) => {
    if (asked === id) return true;
    asked = id;
    app.notice(t("selfTwice", { name: nameOf(app.board.doc, id) }));
    return false;
  };
  weight.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault(); // else Enter would open the list that gets the focus
    addArrow();
  });
  const concepts = make("tbody", {}),
    arrows = make("tbody", {});
  const element = make(
    "div",
    { class: "list-view" },
    make("h3", {}, t("concepts")),
    make("div", { class: "inline-form" }, name, button(t("addConcept"), addConcept)),
    table(t("concepts"), [t("name"), t("arrowsIn"), t("arrowsOut"), t("actions")], concepts),
    make("h3", {}, t("arrows")),
    make(
      "div",
      { class: "inline-form" },
      source,
      make("span", { "aria-hidden": "true" }, "→"),
      target,
      weight,
      button(t("addArrow"), addArrow),
    ),
    table(t("arrows"), [t("from"), t("to"), t("weight"), t("notes"), t("actions")], arrows),
  );
  let drawn = null;

  function update({ doc, ui }) {
    const found = ui.search.trim().toLowerCase();
    if (drawn?.doc === doc && drawn.found === found) return;
    if (drawn?.doc.concepts !== doc.concepts) {
      for (const select of [source, target]) {
        const before = select.value;
        select.replaceChildren(...doc.concepts.map((one) => make("option", { value: one.id }, one.name)));
        if (doc.concepts.some((one) => String(one.id) === before)) select.value = before;
      }
    }
    const focused = element.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    const has = (text) => text.toLowerCase().includes(found);
    concepts.replaceChildren(...doc.concepts.filter((one) => has(one.name)).map((one) => conceptRow(app, doc, one)));
    const names = new Map(doc.concepts.map((one) => [one.id, one.name]));
    arrows.replaceChildren(
      ...doc.edges
        .filter((edge) => has(names.get(edge.source)) || has(names.get(edge.target)))
        .map((edge) => arrowRow(app, names, edge)),
    );
    drawn = { doc, found };
    if (focused) element.querySelector(`[data-key="${focused}"]`)?.focus();
  }
  return { element, update };
}

function conceptRow(app, doc, { id, name }) {
  const input = make("input", {
    type: "text",
    class: "entry",
    value: name,
    "aria-label": t("nameOfConcept"),
    "data-key": `name ${id}`,
    autocomplete: "off",
  });
  input.addEventListener("change", () => {
    if (!app.act({ do: "rename", id, name: input.value })) input.value = nameOf(app.board.doc, id);
  });
  const count = (end) => doc.edges.filter((edge) => edge[end] === id).length;
  return make(
    "tr",
    {},
    make("td", {}, input),
    make("td", { class: "number" }, String(count("target"))),
    make("td", { class: "number" }, String(count("source"))),
    make(
      "td",
      { class: "row-buttons" },
      button(t("show"), () => app.reveal(id), { class: "small", "aria-label": t("showNamed", { name }) }),
      button(t("remove"), () => app.act({ do: "remove", ids: [id] }), {
        class: "small",
        "aria-label": t("removeNamed", { name }),
      }),
    ),
  );
}

function arrowRow(app, names, { source, target, weight, details }) {
  const key = `${source} ${target}`;
  const label = `${names.get(source)} → ${names.get(target)}`;
  const entry = make("input", {
    type: "text",
    class: "entry number",
    value: String(weight),
    "aria-label": `${t("weight")}: ${label}`,
    "data-key": `weight ${key}`,
    autocomplete: "off",
  });
  entry.addEventListener("change", () => {
    const value = readWeight(app, entry.value);
    if (value === null || !app.act({ do: "weight", source, target, weight: value }))
      entry.value = String(app.edgeWeight(source, target));
  });
  const notes = make("input", {
    type: "text",
    class: "entry",
    value: typeof details.notes === "string" ? details.notes : "",
    "aria-label": `${t("notes")}: ${label}`,
    "data-key": `notes ${key}`,
    autocomplete: "off",
  });
  notes.addEventListener("change", () =>
    app.act({ do: "edge", source, target, details: { notes: notes.value.trim() } }),
  );
  return make(
    "tr",
    {},
    make("th", { scope: "row" }, names.get(source)),
    make("td", {}, names.get(target)),
    make("td", {}, entry),
    make("td", {}, notes),
    make(
      "td",
      {},
      button(t("remove"), () => app.act({ do: "disconnect", source, target }), {
        class: "small",
        "aria-label": t("removeNamed", { name: label }),
      }),
    ),
  );
}
