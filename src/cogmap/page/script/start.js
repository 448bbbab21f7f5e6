// Starting values: an average row, a data row, all unknown, or a pasted row.

import { button, make, setText } from "./dom.js";
import { averageRow } from "./state.js";
import { pastedRow } from "./csv.js";

export function startPart(page) {
  const { model, store } = page;
  const status = make("p", { class: "soft where" });
  const set = (row) => store.change({ row, from: null });
  const typical = model.kind === "map" ? [] : averageRow(model);
  const buttons = make("div", { class: "buttons" });
  const part = make("div", { class: "start" }, status, buttons);
  if (model.kind === "map") {
    buttons.append(button("Hold nothing", () => store.change({ clamp: {} })));
  } else {
    buttons.append(
      button("Typical row", () => set(averageRow(model)), { title: "Mean numbers (of skewed ones, the mean of logarithms), most frequent categories" }),
      button("All unknown", () => set(model.columns.map(() => null))),
    );
    if (page.rows.length) buttons.append(button("Pick a row", () => page.goTo("rows")));
    const padlocks = "A value with a closed padlock stays as it is in the search for what would change the answer.";
    part.append(pasting(page), make("p", { class: "soft" }, padlocks));
  }
  document.querySelector("#values > .body").prepend(part);
  return ({ state }) => {
    if (model.kind === "map") setText(status, "Move a slider to hold a concept; the others follow.");
    else if (state.from !== null && page.rows[state.from]) {
      const changed = page.rows[state.from].filter((value, c) => value !== state.row[c]).length;
      setText(status, `Row ${page.rowName(state.from)} of the data${changed ? `, with ${changed} changed` : ""}.`);
    } else setText(status, typical.every((value, c) => value === state.row[c]) ? "A typical row: means, frequent categories." : "Your values.");
  };
}

function pasting({ model, store, notice }) {
  const area = make("textarea", {
    rows: 3,
    "aria-label": "A row of values between commas, semicolons or tabs",
    placeholder: "one row of CSV, with or without a line of names above",
  });
  const use = button("Use this row", () => {
    const read = pastedRow(area.value, model.columns);
    notice(read.problem ?? "");
    if (!read.problem) store.change({ row: read.row, from: null });
  });
  return make("details", { class: "paste" }, make("summary", {}, "Paste a row"), area, use);
}
