// Edits of the map, undo and redo, and scores of the edited map next to the original.

import { bodyOf, button, make, setAttribute, setText } from "./dom.js";
import { score } from "./engine.js";
import { amount, conceptName, count, fixed, number, short, signed } from "./words.js";

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
  const scores = model.answers?.some((answer) => answer !== null) ? scoreTable(page) : null;
  const keeping = savingPart(page);
  bodyOf("edits").append(
    make("div", { class: "buttons" }, undo, redo, reset),
    none,
    list,
    ...(scores ? [scores.element] : []),
    ...(keeping ? [keeping.element] : []),
  );
  return (view) => {
    setAttribute(undo, "disabled", view.state.done === 0);
    setAttribute(redo, "disabled", view.state.done === view.state.edits.length);
    setAttribute(reset, "disabled", view.state.edits.length === 0);
    setAttribute(none, "hidden", view.edits.length > 0);
    list.replaceChildren(
      ...view.edits.map(([target, source, value]) => make("li", {}, editWords(model, target, source, value))),
      ...Object.entries(view.state.clamp).map(([i, value]) =>
        make("li", {}, `${short(conceptName(model, i), 50)}: held at ${number(value)}`),
      ),
    );
    scores?.update(view);
    keeping?.update(view);
  };
}

/** Return a changed weight in words: "age → good: +0.3 (raises it) instead of −0.2 (lowers it)". */
export function editWords(model, target, source, value, longest = 50) {
  const name = (i) => short(conceptName(model, i), longest);
  const weight = (w) => `${signed(w)} (${w > 0 ? "raises it" : w < 0 ? "lowers it" : "no arrow"})`;
  return `${name(source)} → ${name(target)}: ${weight(value)} instead of ${weight(model.weights[target * model.n + source])}`;
}

/** Return the changes as JSON for `read_edits` and `cogmap fit --edits`. */
export function toEdits(model, { edits, state }, by, reason, day) {
  const name = (i) => model.concepts[i].name;
  const content = {
    format: "cogmap edits",
    version: 1,
    title: model.title,
    target: model.target,
    structure: model.held.length ? "named" : "full",
    by,
    reason,
    day,
    arrows: edits.map(([target, source, weight]) => ({
      source: name(source),
      target: name(target),
      weight,
      was: model.weights[target * model.n + source],
      slope: model.slope[target],
    })),
    held: Object.entries(state.clamp).map(([i, value]) => ({ concept: name(i), state: value })),
  };
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** Create the form that saves the changes for the next training; hand-made maps are saved as maps. */
function savingPart(page) {
  const { model } = page;
  if (model.kind === "map") return null;
  const field = (label) => make("input", { type: "text", class: "wide-entry", "aria-label": label, placeholder: label });
  const [by, reason] = [field("Your name"), field("Why you changed it")];
  const save = button("Save the changes (JSON)", () => {
    const day = new Date().toISOString().slice(0, 10);
    page.save("-edits.json", "application/json", toEdits(model, page.view, by.value.trim(), reason.value.trim(), day));
  });
  const element = make(
    "div",
    { class: "keeping" },
    make("h3", {}, "Train again with these changes"),
    make("div", { class: "buttons" }, by, reason, save),
    make(
      "p",
      { class: "soft" },
      "“cogmap fit TABLE --target COLUMN --edits FILE” trains a map that keeps the changed arrows from columns to the " +
        "answer, leaves out held columns, and says what the data object to and what it costs.",
    ),
  );
  return {
    element,
    update: (view) => setAttribute(element, "hidden", !view.edits.length && !Object.keys(view.state.clamp).length),
  };
}

/** Say whether the map has learned from the rows of this page. */
function learnedWords({ learned_rows: learned, card }, n) {
  const rows = `Scores on ${count(n, "row")} of this page`;
  if (learned === undefined || learned === null) return `${rows}. The map may have learned from them: on new rows scores may be lower.`;
  if (learned === 0) return `${rows}, from which the map has not learned:`;
  const share = learned === 1 ? "from which" : "from most of which";
  return `${rows}, ${learned < 0.5 ? "from some of which" : share} the map has learned. ${card?.quality.length ? "Its scores on new rows are above." : "On new rows they are lower."}`;
}

function scoreTable(page) {
  const { model } = page;
  const lines =
    model.kind === "classifier"
      ? [
          ["accuracy", (scores) => `${fixed(100 * scores.accuracy, 1)}\u00a0%`],
          ["log loss (lower is better)", (scores) => fixed(scores.logLoss, 3)],
        ]
      : [
          ["R² (1 is perfect)", (scores) => fixed(scores.r2, 3)],
          ["mean absolute error", (scores) => amount(scores.mae, model.unit)],
        ];
  const cells = lines.map(() => [make("td", { class: "number" }), make("td", { class: "number" })]);
  const body = make(
    "tbody",
    {},
    ...lines.map(([name], place) => make("tr", {}, make("th", { scope: "row" }, name), ...cells[place])),
  );
  const head = make(
    "tr",
    {},
    ...["score", "original map", "changed map"].map((text) => make("th", { scope: "col" }, text)),
  );
  const known = model.answers.filter((answer) => answer !== null).length;
  const element = make(
    "div",
    { hidden: true },
    make("p", { class: "soft" }, learnedWords(model, known)),
    make(
      "table",
      { class: "narrow" },
      make("caption", { class: "unseen" }, "Scores of the learned and of the changed map"),
      make("thead", {}, head),
      body,
    ),
  );
  let learned = null;
  let now = { model: null };
  return {
    element,
    update(view) {
      // The scores on new rows are those to go by. These here compare the changed map with the original.
      const isShown = view.edits.length > 0 || !model.card?.quality.length;
      setAttribute(element, "hidden", !isShown);
      if (!isShown) return;
      learned ??= score(model, page.rows, model.answers);
      if (now.model !== view.model)
        now = { model: view.model, scores: view.edits.length ? score(view.model, page.rows, model.answers) : learned };
      lines.forEach(([, show], place) => {
        setText(cells[place][0], show(learned));
        setText(cells[place][1], view.edits.length ? show(now.scores) : "—");
      });
    },
  };
}
