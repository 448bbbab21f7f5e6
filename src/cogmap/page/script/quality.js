// How good the map is on rows it has not learned from, and which columns matter: what the card of the model says.

import { bodyOf, make, setParts, setText } from "./dom.js";
import { count, localFigure, ofHundred, short } from "./words.js";

const MATTER = 5; // columns listed
const LEAST = 0.01; // share from which a column is listed

export function qualityPart(page) {
  const { card } = page.model;
  const sentences = (card?.quality ?? []).map((parts) => sentence(parts));
  const unknown =
    "The file does not say how good this map is on new rows." +
    (page.rows.length ? " Scores on the rows below may be those of rows it has learned from." : "");
  const changed = make("p", { class: "warning" });
  const list = make("ol", { class: "matters" }, ...matters(page));
  const notes = [
    "With the rest of the row unchanged; it need not be a cause.",
    ...(strongest(page).some(({ opposite }) => opposite)
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

/** Return the most important columns: those of the card, or those of the page if there is none. */
function strongest({ model, importance }) {
  const columns =
    model.card?.matters ??
    [...model.columns.keys()].sort((a, b) => importance[b] - importance[a]).map((c) => ({ ...model.columns[c], share: importance[c] }));
  return columns.slice(0, MATTER).filter(({ share }) => share >= LEAST);
}

function matters(page) {
  return strongest(page).map(({ name, share, key, leads, opposite }) => {
    const item = make("li");
    const text = ofHundred(share);
    const figure = key ? { key, text } : text;
    const where = leads?.length ? [": ", ...leads] : [];
    setParts(item, [`${short(name, 40)} (`, figure, "\u00a0% of the importance)", ...where, opposite ? " *" : ""]);
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
