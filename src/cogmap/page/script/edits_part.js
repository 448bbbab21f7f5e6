// Edits of the map, undo and redo, and scores of the edited map next to the original.

import { bodyOf, button, make, setAttribute, setText } from "./dom.js";
import { score } from "./engine.js";
import { count, fixed, number, short, signed } from "./words.js";

export function editsPart(page) {
  const { model, store } = page;
  const undo = button("Undo", page.undo);
  const redo = button("Redo", page.redo);
  const reset = button("Back to the original map", () => store.change({ edits: [], done: 0 }));
  const none = make(
    "p",
    { class: "soft" },
    "No changes yet: choose an arrow or a concept of the map and set a weight.",
  );
  const list = make("ul", { class: "edits" });
  const scores = model.answers && page.rows.length ? scoreTable(page) : null;
  bodyOf("edits").append(
    make("div", { class: "buttons" }, undo, redo, reset),
    none,
    list,
    ...(scores ? [scores.element] : []),
  );
  return (view) => {
    setAttribute(undo, "disabled", view.state.done === 0);
    setAttribute(redo, "disabled", view.state.done === view.state.edits.length);
    setAttribute(reset, "disabled", view.state.edits.length === 0);
    setAttribute(none, "hidden", view.edits.length > 0);
    list.replaceChildren(
      ...view.edits.map(([target, source, value]) => make("li", {}, editWords(model, target, source, value))),
    );
    scores?.update(view);
  };
}

function editWords(model, target, source, value) {
  const name = (i) => short(model.concepts[i].name, 50);
  return `${name(source)} → ${name(target)}: ${signed(value)} instead of ${signed(model.weights[target * model.n + source])}`;
}

function scoreTable(page) {
  const { model } = page;
  const lines =
    model.kind === "classifier"
      ? [
          ["accuracy", (scores) => `${fixed(100 * scores.accuracy, 1)}\u00a0%`],
          ["log loss", (scores) => fixed(scores.logLoss, 4)],
        ]
      : [
          ["R²", (scores) => fixed(scores.r2, 4)],
          ["mean absolute error", (scores) => number(scores.mae, 4)],
        ];
  const learned = score(model, page.rows, model.answers);
  const cells = lines.map(() => make("td", { class: "number" }));
  const body = make(
    "tbody",
    {},
    ...lines.map(([name, show], place) =>
      make("tr", {}, make("th", { scope: "row" }, name), make("td", { class: "number" }, show(learned)), cells[place]),
    ),
  );
  const head = make(
    "tr",
    {},
    ...["score", "original map", "changed map"].map((text) => make("th", { scope: "col" }, text)),
  );
  let now = { model, scores: learned };
  return {
    element: make(
      "div",
      {},
      make("p", { class: "soft" }, `Scores on ${count(learned.n, "row")} of this page:`),
      make(
        "table",
        { class: "narrow" },
        make("caption", { class: "unseen" }, "Scores of the learned and of the changed map"),
        make("thead", {}, head),
        body,
      ),
    ),
    update(view) {
      if (now.model !== view.model)
        now = { model: view.model, scores: view.edits.length ? score(view.model, page.rows, model.answers) : learned };
      lines.forEach(([, show], place) => setText(cells[place], view.edits.length ? show(now.scores) : "—"));
    },
  };
}
