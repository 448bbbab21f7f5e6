// A control for each column: a slider with the real range of the data, a choice, or yes and no.

import { bodyOf, button, icon, make, draw, setAttribute, setText } from "./dom.js";
import { contributionWords, explainedOutput } from "./reasons.js";
import { cell, number, oneLine, short } from "./words.js";
import { readCell } from "./csv.js";

const POSITIONS = 200; // of a slider
const BINS = 24; // of the silhouette above it
const OPEN_LOCK = "M5 7V5a3 3 0 0 1 5.8-1M4 7h8v6H4z";
const CLOSED_LOCK = "M5 7V5a3 3 0 0 1 6 0v2M4 7h8v6H4z";

export function valuesPart(page) {
  const { model, store } = page;
  const controls = model.columns.map((column, c) => control(page, column, c));
  const list = make("ul", { class: "controls" });
  const search = make("input", { type: "search", placeholder: "Find a value", "aria-label": "Find a value by name", oninput: arrange });
  const order = make("select", { "aria-label": "Order of the values", onchange: () => store.change({ order: order.value }) });
  const orders = { importance: "most important first", table: "as in the table", name: "by name" };
  for (const [value, text] of Object.entries(orders)) order.append(make("option", { value }, text));
  const none = make("p", { class: "soft", hidden: true }, "No value has such a name.");
  const long = model.columns.length > 8;
  bodyOf("values").append(...(long ? [make("div", { class: "tools" }, search, order)] : []), list, none);
  let arranged = null;

  function arrange() {
    const wanted = search.value.trim().toLowerCase();
    let found = 0;
    controls.forEach((one, c) => {
      const match = model.columns[c].name.toLowerCase().includes(wanted);
      setAttribute(one.element, "hidden", !match);
      found += match;
    });
    setAttribute(none, "hidden", found > 0);
  }

  return (view) => {
    if (arranged !== view.state.order) {
      arranged = view.state.order;
      order.value = arranged;
      list.append(...ordered(page, arranged).map((c) => controls[c].element));
    }
    const k = model.kind === "map" ? null : explainedOutput(model, view);
    controls.forEach((one) => one.update(view, k));
  };
}

function ordered(page, order) {
  const { model } = page;
  const numbers = [...model.columns.keys()];
  if (order === "name") return numbers.sort((a, b) => model.columns[a].name.localeCompare(model.columns[b].name));
  if (order === "importance") return numbers.sort((a, b) => page.importance[b] - page.importance[a]);
  return numbers;
}

function control(page, column, c) {
  if (page.model.kind === "map") return holding(page, column, c);
  const inner = column.kind === "number" ? slider(page, column, c) : choices(page, column, c);
  const { store } = page;
  const reason = make("span", { class: "effect" });
  const lockIcon = icon(OPEN_LOCK);
  const lock = button("", () => {
    const { locked } = store.state;
    store.change({ locked: locked.includes(c) ? locked.filter((one) => one !== c) : [...locked, c].sort((a, b) => a - b) });
  }, { class: "lock", "aria-pressed": "false", "aria-label": `Lock ${column.name}`, title: "Locked values stay when looking for what would change the answer" });
  lock.append(lockIcon);
  const label = make("label", { class: "control-name", for: `value-${c}`, title: column.name }, labelText(column));
  const element = make("li", { class: "control" }, make("div", { class: "control-head" }, label, lock, inner.entry), inner.main, make("div", { class: "control-foot" }, inner.low, reason, inner.high));
  return {
    element,
    update(view, k) {
      inner.update(view.state.row[c]);
      const value = view.reasons.values[c][k];
      setText(reason, contributionWords(page.model, value));
      setAttribute(reason, "class", `effect ${value > 0 ? "up-text" : value < 0 ? "down-text" : ""}`);
      const locked = view.state.locked.includes(c);
      setAttribute(lock, "aria-pressed", String(locked));
      setAttribute(lockIcon.firstChild, "d", locked ? CLOSED_LOCK : OPEN_LOCK);
    },
  };
}

function labelText(column) {
  const name = short(column.name, 60);
  return column.unit ? `${name} (${oneLine(column.unit)})` : name;
}

/** A slider between the lowest and the highest value of the data, and a box for any number; an empty box is unknown. */
function slider(page, column, c) {
  const { store } = page;
  const steps = stepsOf(column);
  const set = (value) => store.change({ row: store.state.row.with(c, value) });
  const range = make("input", {
    type: "range", min: 0, max: steps.count, step: 1, class: "slider", "aria-label": column.name,
    oninput: () => set(steps.value(Number(range.value))),
  });
  const entry = make("input", {
    type: "text", inputmode: "decimal", id: `value-${c}`, class: "entry", autocomplete: "off", placeholder: "unknown",
    "aria-describedby": `range-${c}`,
    onchange: () => {
      const read = readCell(entry.value, column);
      page.notice(read.problem ?? "");
      if (read.problem) entry.value = text(store.state.row[c]);
      else set(read.value);
    },
  });
  const constant = column.low === column.high;
  setAttribute(range, "disabled", constant);
  const text = (value) => (value === null ? "" : cell(value));
  const low = make("span", { class: "end", id: `range-${c}` }, constant ? `always ${number(column.low, 4)} in the data` : number(column.low, 4));
  const high = make("span", { class: "end" }, constant ? "" : number(column.high, 4));
  const main = make("div", { class: "slider-box" }, silhouette(page, column, c), range);
  return {
    entry, main, low, high,
    update(value) {
      const shown = text(value);
      if (document.activeElement !== entry || readCell(entry.value, column).value !== value) {
        if (entry.value !== shown) entry.value = shown;
      }
      const position = String(steps.position(value ?? (column.low + column.high) / 2));
      if (range.value !== position) range.value = position;
      const outside = value !== null && (value < column.low || value > column.high);
      setAttribute(main, "class", `slider-box${value === null ? " unknown" : outside ? " outside" : ""}`);
      setAttribute(range, "aria-valuetext", value === null ? "unknown" : `${shown}, ${outside ? "outside of" : "from"} ${number(column.low, 4)} to ${number(column.high, 4)} in the data`);
      setAttribute(entry, "title", outside ? "Outside of what the data have" : null);
    },
  };
}

/** Positions of a slider and the values they stand for: round ones, and exactly the ends of the data. */
function stepsOf({ low, high, whole }) {
  const width = high - low;
  const count = whole && width <= 1000 ? Math.max(width, 1) : POSITIONS;
  const decimals = whole ? 0 : Math.min(Math.max(Math.ceil(-Math.log10(width / count || 1)), 0), 12);
  return {
    count,
    value: (position) => (position <= 0 ? low : position >= count ? high : Number((low + (width * position) / count).toFixed(decimals))),
    position: (value) => (width ? Math.min(Math.max(Math.round(((value - low) / width) * count), 0), count) : 0),
  };
}

/** How the rows of the data are spread, above the slider. */
function silhouette(page, column, c) {
  const shape = draw("svg", { class: "silhouette", viewBox: `0 0 ${BINS} 10`, preserveAspectRatio: "none", "aria-hidden": "true" });
  const bins = new Array(BINS).fill(0);
  const width = column.high - column.low;
  for (const row of page.rows) {
    if (row[c] === null || !width) continue;
    bins[Math.min(Math.max(Math.floor(((row[c] - column.low) / width) * BINS), 0), BINS - 1)]++;
  }
  const most = Math.max(...bins);
  if (most === 0) return shape;
  const heights = bins.map((amount) => 10 * Math.sqrt(amount / most));
  shape.append(draw("path", { d: `M0,10${heights.map((height, bin) => `V${(10 - height).toFixed(2)}H${bin + 1}`).join("")}V10Z` }));
  return shape;
}

function choices(page, column, c) {
  const { store } = page;
  const known = column.choices ?? [0, 1];
  const words = column.kind === "boolean" && known.length === 2 && known.every((one) => typeof one !== "string") ? ["no", "yes"] : known.map((one) => short(String(one), 60));
  const select = make("select", {
    id: `value-${c}`, class: "choice",
    onchange: () => store.change({ row: store.state.row.with(c, select.value === "" ? null : known[Number(select.value)]) }),
  });
  select.append(make("option", { value: "" }, "unknown"));
  words.forEach((word, place) => select.append(make("option", { value: String(place) }, word)));
  const low = make("span", { class: "end" }, column.kind === "boolean" ? "" : `one of ${known.length}`);
  return {
    entry: "", main: select, low, high: make("span", { class: "end" }),
    update(value) {
      const place = known.findIndex((one) => one === value || Number(one) === value);
      const shown = place < 0 ? "" : String(place);
      if (select.value !== shown) select.value = shown;
    },
  };
}

/** Of a map by hand: a concept that follows the map, or is held where the slider stands. */
function holding(page, column, c) {
  const { model, store } = page;
  const i = column.inputs?.[0] ?? c;
  const { low, high } = column;
  const hold = (value) => store.change({ clamp: { ...store.state.clamp, [i]: value } });
  const release = () => {
    const { [i]: _, ...clamp } = store.state.clamp;
    store.change({ clamp });
  };
  let now = 0;
  const box = make("input", { type: "checkbox", id: `hold-${c}`, onchange: () => (box.checked ? hold(Number(now.toFixed(2))) : release()) });
  const range = make("input", {
    type: "range", min: 0, max: 100, step: 1, class: "slider", id: `value-${c}`, "aria-label": `State of ${column.name}`,
    oninput: () => hold(Number((low + ((high - low) * Number(range.value)) / 100).toFixed(4))),
  });
  const value = make("output", { class: "entry", for: `value-${c}` });
  const label = make("label", { class: "control-name", for: `value-${c}`, title: model.concepts[i].name }, short(model.concepts[i].name, 60));
  const main = make("div", { class: "slider-box" }, range);
  const element = make("li", { class: "control" }, make("div", { class: "control-head" }, label, make("label", { class: "hold" }, box, "hold"), value), main,
    make("div", { class: "control-foot" }, make("span", { class: "end" }, number(low)), make("span", { class: "end" }, number(high))));
  return {
    element,
    update({ result, state }) {
      const held = i in state.clamp;
      now = held ? state.clamp[i] : result.outputs[i];
      if (box.checked !== held) box.checked = held;
      const position = String(Math.round((100 * (now - low)) / (high - low)));
      if (range.value !== position) range.value = position;
      setText(value, number(now));
      setAttribute(main, "class", held ? "slider-box" : "slider-box unknown");
      setAttribute(range, "aria-valuetext", `${number(now)}, ${held ? "held" : "follows the map"}`);
    },
  };
}
