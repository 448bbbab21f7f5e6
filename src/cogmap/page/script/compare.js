// Comparison of a kept state (A) with the current one (B).

import { bodyOf, button, make, setAttribute, setText } from "./dom.js";
import { answerLine } from "./answer.js";
import { contributionWords, explainedOutput } from "./reasons.js";
import { cell, className, fixed, short, signedFixed } from "./words.js";

export function comparePart(page) {
  const { model, store } = page;
  const keep = button(
    "Keep what is set now as A",
    () => store.change({ other: { row: store.state.row, clamp: store.state.clamp } }),
    { class: "main" },
  );
  const swap = button("Swap A and B", () => {
    const { other, row, clamp } = store.state;
    store.change({ other: { row, clamp }, row: other.row, clamp: other.clamp, from: null });
  });
  const drop = button("Stop comparing", () => store.change({ other: null }));
  const hint = make("p", { class: "soft" }, "Keep what is set now, then change values: both are shown side by side.");
  const lines = model.kind === "map" ? scenarioLines(page) : rowLines(page);
  const heads = lines.headings.map((text) => make("th", { scope: "col" }, text));
  const answer = lines.answer ? make("tr", { class: "total" }) : null;
  const body = make("tbody", {}, ...(answer ? [answer] : []), ...lines.rows.map((line) => line.element));
  const place = make(
    "div",
    { class: "scroll", tabindex: "0", role: "region", "aria-label": "A and B side by side" },
    make(
      "table",
      {},
      make("caption", { class: "unseen" }, "A and B side by side"),
      make("thead", {}, make("tr", {}, ...heads)),
      body,
    ),
  );
  bodyOf("compare").append(make("div", { class: "buttons" }, keep, swap, drop), hint, place);

  return (view) => {
    const { other } = view.state;
    for (const part of [swap, drop, place]) setAttribute(part, "hidden", other === null);
    setAttribute(hint, "hidden", other !== null);
    if (other === null) return;
    const kept = view.other();
    if (answer) answer.replaceChildren(...lines.answer(kept, view));
    lines.rows.forEach((line) => line.update(kept, view));
  };
}

function rowLines(page) {
  const { model } = page;
  const rows = model.columns.map((column, c) => {
    const cells = Array.from({ length: 4 }, () => make("td", { class: "number" }));
    const element = make("tr", {}, make("th", { scope: "row", title: column.name }, short(column.name, 44)), ...cells);
    return {
      element,
      update(kept, view) {
        const k = explainedOutput(model, view);
        const values = [kept.row[c], view.state.row[c]],
          shares = [kept.reasons.values[c][k], view.reasons.values[c][k]];
        setText(cells[0], short(cell(values[0], column), 24));
        setText(cells[1], short(cell(values[1], column), 24));
        setText(cells[2], contributionWords(model, shares[0]));
        setText(cells[3], contributionWords(model, shares[1]));
        setAttribute(element, "class", values[0] === values[1] ? "same" : "differs");
      },
    };
  });
  return {
    headings: ["value", "A", "B", "speaks for, A", "speaks for, B"],
    rows,
    answer(kept, view) {
      const k = explainedOutput(model, view);
      const name =
        model.kind === "classifier" ? className(short(page.outputs[k].name, 30)) : short(page.outputs[k].name, 30);
      return [
        make("th", { scope: "row" }, "The map says"),
        make("td", {}, answerLine(page, kept.result.outputs)),
        make("td", {}, answerLine(page, view.result.outputs)),
        make("td", { colspan: 2 }, `for or against ${name}`),
      ];
    },
  };
}

function scenarioLines({ model }) {
  const rows = model.concepts.map((concept, i) => {
    const cells = Array.from({ length: 3 }, () => make("td", { class: "number" }));
    const element = make(
      "tr",
      {},
      make("th", { scope: "row", title: concept.name }, short(concept.name, 44)),
      ...cells,
    );
    const text = (states, clamp) => fixed(states[i], 3) + (i in clamp ? " (held)" : "");
    return {
      element,
      update(kept, view) {
        const difference = view.result.outputs[i] - kept.result.outputs[i];
        setText(cells[0], text(kept.result.outputs, kept.clamp));
        setText(cells[1], text(view.result.outputs, view.state.clamp));
        setText(cells[2], signedFixed(difference, 3));
        setAttribute(element, "class", Math.abs(difference) < 5e-4 ? "same" : "differs");
      },
    };
  });
  return { headings: ["state", "A", "B", "difference"], rows };
}
