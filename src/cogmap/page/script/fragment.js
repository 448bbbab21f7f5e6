// Serialization of the state as the fragment of a URL. It ends with a checksum of itself and of the page, which detects
// truncated and modified links and links to other pages.

import { isCell } from "./columns.js";

/** Serialize the differences from the initial state. */
export function toFragment(state, first, seal) {
  const parts = Object.keys(first)
    .filter((key) => JSON.stringify(state[key]) !== JSON.stringify(first[key]))
    .map((key) => `${key}=${packed(state[key])}`);
  if (parts.length === 0) return "";
  const body = parts.join("&");
  return `${body}&check=${hash(seal + body)}`;
}

/** Parse a fragment as a complete state; throw an Error with a message for users if it is damaged or does not fit. */
export function fromFragment(fragment, first, seal, model) {
  const text = fragment.replace(/^#/, "");
  if (text === "") return first;
  const [, body, check] = /^(.*)&check=([0-9a-z]+)$/.exec(text) ?? [];
  if (body === undefined || hash(seal + body) !== check) throw new Error(DAMAGED);
  const state = { ...first };
  try {
    for (const part of body.split("&")) {
      const cut = part.indexOf("=");
      const key = part.slice(0, cut);
      if (!(key in first)) throw new Error(DAMAGED);
      state[key] = JSON.parse(decodeURIComponent(part.slice(cut + 1)));
    }
  } catch {
    throw new Error(DAMAGED);
  }
  if (!fits(state, model)) throw new Error(DAMAGED);
  return state;
}

export const DAMAGED =
  "The link to this page is damaged or was made by another page, so the page starts from its initial state.";

// Characters that are common in JSON and allowed in a fragment are not escaped, so that links are readable.
function packed(value) {
  return encodeURIComponent(JSON.stringify(value)).replace(/%(5B|5D|2C|3A|7B|7D)/g, decodeURIComponent);
}

/** Return two 32-bit FNV-1a hashes of the characters, with different initial values. */
export function hash(text) {
  let [one, two] = [0x811c9dc5, 0x01000193];
  for (let place = 0; place < text.length; place++) {
    const letter = text.charCodeAt(place);
    one = Math.imul(one ^ letter, 0x01000193);
    two = Math.imul(two ^ letter, 0x85ebca6b) ^ (two >>> 13);
  }
  return (one >>> 0).toString(36) + (two >>> 0).toString(36);
}

function fits(state, model) {
  const concept = (i) => Number.isInteger(i) && i >= 0 && i < model.concepts.length;
  const columns = model.columns.length;
  const isRow = (row) =>
    Array.isArray(row) && row.length === columns && row.every((value, c) => isCell(model.columns[c], value));
  const isClamp = (clamp) =>
    isObject(clamp) && Object.entries(clamp).every(([i, value]) => concept(Number(i)) && Number.isFinite(value));
  const orNull = (test) => (value) => value === null || test(value);
  const whole = (value) => Number.isInteger(value) && value >= 0;
  const tests = {
    row: isRow,
    from: orNull(whole),
    clamp: isClamp,
    edits: (edits) =>
      Array.isArray(edits) &&
      edits.every(
        (edit) =>
          Array.isArray(edit) && edit.length === 3 && concept(edit[0]) && concept(edit[1]) && Number.isFinite(edit[2]),
      ),
    done: (done) => whole(done) && done <= state.edits.length,
    step: orNull(whole),
    chosen: orNull(concept),
    arrow: orNull((arrow) => Array.isArray(arrow) && arrow.length === 2 && arrow.every(concept)),
    shown: orNull(whole),
    flow: (flow) => typeof flow === "boolean",
    inside: (inside) => typeof inside === "boolean",
    zoom: orNull((zoom) => zoom > 0 && zoom <= 4),
    output: orNull((output) => whole(output) && output < model.outputs.length),
    locked: (locked) => Array.isArray(locked) && locked.every((c) => whole(c) && c < columns),
    goal: orNull((goal) => Number.isFinite(goal) && (model.kind !== "classifier" || goal in model.outputs)),
    asked: orNull((asked) => typeof asked === "string"),
    other: orNull((other) => isObject(other) && isRow(other.row) && isClamp(other.clamp)),
    sort: orNull(
      (sort) => Array.isArray(sort) && sort.length === 2 && Number.isInteger(sort[0]) && Math.abs(sort[1]) === 1,
    ),
    top: whole,
    order: (order) => ["importance", "table", "name"].includes(order),
    theme: orNull((theme) => theme === "light" || theme === "dark"),
  };
  return Object.entries(tests).every(([key, test]) => test(state[key]));
}

function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
