// Control of a number: a slider over the range of the data, a histogram above it, and a text box.

import { draw, make, setAttribute, setText } from "./dom.js";
import { cell, entryNumber, number } from "./words.js";
import { readCell } from "./columns.js";
import { decimalsOf, POSITIONS } from "./state.js";

const BINS = 24; // of the histogram

/** Create a slider over the range of the data, and a box for any number; an empty box means unknown. */
export function sliderControl(page, column, c) {
  const { store } = page;
  const steps = stepsOf(column);
  const set = (value) => store.change({ row: store.state.row.with(c, value) });
  const range = make("input", {
    type: "range",
    min: 0,
    max: steps.count,
    step: 1,
    class: "slider",
    "aria-label": column.name,
    oninput: () => set(steps.value(Number(range.value))),
  });
  const entry = make("input", {
    type: "text",
    inputmode: "decimal",
    id: `value-${c}`,
    class: "entry",
    autocomplete: "off",
    placeholder: "unknown",
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
  const text = (value) => (value === null ? "" : entryNumber(value));
  const low = make(
    "span",
    { class: "end", id: `range-${c}` },
    constant ? `always ${cell(column.low, column, 4)} in the data` : cell(column.low, column, 4),
  );
  const high = make("span", { class: "end" }, constant ? "" : cell(column.high, column, 4));
  const warning = make("p", { class: "warning", hidden: true });
  const main = make("div", { class: "slider-box" }, histogram(page, column, c), range, warning);
  return {
    entry,
    main,
    low,
    high,
    update(value) {
      const shown = text(value);
      if (document.activeElement !== entry || readCell(entry.value, column).value !== value) {
        if (entry.value !== shown) entry.value = shown;
      }
      const position = String(steps.position(value ?? (column.low + column.high) / 2));
      if (range.value !== position) range.value = position;
      const outside = value !== null && (value < column.low || value > column.high);
      setAttribute(main, "class", `slider-box${value === null ? " unknown" : outside ? " outside" : ""}`);
      setAttribute(
        range,
        "aria-valuetext",
        value === null
          ? "unknown"
          : `${shown}, ${outside ? "outside of" : "from"} ${cell(column.low, column, 4)} to ${cell(column.high, column, 4)} in the data`,
      );
      setText(warning, outside ? `Outside the data, where the map has seen nothing: ${cell(value, column)}.` : "");
      setAttribute(warning, "hidden", !outside);
    },
  };
}

/** Return the mapping between slider positions and values: rounded values, and exactly the ends of the range. */
function stepsOf(column) {
  const { low, high, whole } = column;
  const width = high - low;
  const count = whole && width <= 1000 ? Math.max(width, 1) : POSITIONS;
  const decimals = decimalsOf(column);
  return {
    count,
    value: (position) =>
      position <= 0 ? low : position >= count ? high : Number((low + (width * position) / count).toFixed(decimals)),
    position: (value) => (width ? Math.min(Math.max(Math.round(((value - low) / width) * count), 0), count) : 0),
  };
}

/** Draw a histogram of the data rows. */
function histogram(page, column, c) {
  const shape = draw("svg", {
    class: "silhouette",
    viewBox: `0 0 ${BINS} 10`,
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  });
  const bins = new Array(BINS).fill(0);
  const width = column.high - column.low;
  for (const row of page.rows) {
    if (row[c] === null || !width) continue;
    bins[Math.min(Math.max(Math.floor(((row[c] - column.low) / width) * BINS), 0), BINS - 1)]++;
  }
  const most = Math.max(...bins);
  if (most === 0) return shape;
  const heights = bins.map((amount) => 10 * Math.sqrt(amount / most));
  shape.append(
    draw("path", { d: `M0,10${heights.map((height, bin) => `V${(10 - height).toFixed(2)}H${bin + 1}`).join("")}V10Z` }),
  );
  return shape;
}
