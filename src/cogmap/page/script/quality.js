// How good the map is on rows it has not learned from, and which columns matter: what the card of the model says.

import { bodyOf, make, setParts, setText } from "./dom.js";
import { count, localFigure, ofHundred, short } from "./words.js";

const MATTER = 5; // columns listed
const LEAST = 0.01; // share from which a column is listed

export function qualityPart(page) {
  const { model } = page;
  const { card } = model;
  const sentences = (card?.quality ?? []).map((parts) => sentence(parts));
  const unknown =
    "The file does not say how good this map is on new rows. Scores on the rows below may be those of rows it has learned from.";
  const changed = make("p", { class: "warning" });
  const list = make("ol", { class: "matters" }, ...matters(page));
  const notes = [
    "With the rest of the row unchanged; it need not be a cause.",
    ...(strongest(page).some((c) => model.columns[c].opposite)
      ? ["* Alone, without looking at the other columns, more of it goes with the opposite."]
      : []),
  ];
  bodyOf("quality").append(
    changed,
    ...(sentences.length ? sentences : [make("p", {}, unknown)]),
    make("h3", {}, "What matters most"),
    list,
    make("p", { class: "soft" }, notes.join(" ")),
    ...editsOfCard(card),
  );
  return ({ edits }) => setText(changed, edits.length ? "This is about the original map, not about the changed one." : "");
}

function sentence(parts) {
  const element = make("p");
  setParts(
    element,
    parts.map((part) => (typeof part === "string" ? part : { ...part, text: localFigure(part.text) })),
  );
  return element;
}

/** Return the most important columns. */
function strongest({ model, importance }) {
  return [...model.columns.keys()]
    .sort((a, b) => importance[b] - importance[a])
    .slice(0, MATTER)
    .filter((c) => importance[c] >= LEAST);
}

function matters(page) {
  const { model, importance } = page;
  return strongest(page).map((c) => {
    const { name, key, leads, opposite } = model.columns[c];
    const item = make("li");
    const share = ofHundred(importance[c]);
    const figure = key ? { key, text: share } : share;
    setParts(item, [`${short(name, 40)} (`, figure, ` % of the importance)${leads ? `: ${leads}` : ""}${opposite ? " *" : ""}`]);
    return item;
  });
}

/** Return the edits that the model was trained with. */
function editsOfCard(card) {
  const edits = card?.edits;
  if (!edits) return [];
  return [
    make("h3", {}, "Changed by hand before training"),
    make("p", {}, `${count(edits.arrows, "change")}${edits.by ? ` by ${edits.by}` : ""}${edits.reason ? `: ${edits.reason}` : ""}`),
    ...edits.sentences.map((parts) => sentence(parts)),
  ];
}
