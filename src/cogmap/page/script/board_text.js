// All texts of the board, by key. Another language is a JSON file with the same keys, given to `page.board`.

import { ENGLISH } from "./board_english.js";

let table = ENGLISH;

/** Use the texts of another language; those it lacks stay English. */
export function useTexts(texts) {
  table = { ...ENGLISH, ...texts };
}

/** Return a text with its {placeholders} filled in. */
export function t(key, values = {}) {
  const text = table[key];
  if (text === undefined) throw new Error(`the table of texts has no "${key}"`);
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? shown(values[name]) : whole));
}

/** Return the label of a part in the report, which differs from that of the same part beside the map. */
export function inReport(key) {
  return `${t("viewReport")}: ${t(key)}`;
}

/** Return a text for a count: "one|many". */
export function tn(key, count, values = {}) {
  const [one, many] = t(key, { count, ...values }).split("|");
  return count === 1 ? one : many;
}

function shown(value) {
  if (typeof value === "number") return Number.isInteger(value) ? value.toLocaleString("en-US") : String(value);
  const text = String(value ?? "").replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, " ");
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

/** A mistake of the reader or in a file, as a sentence. */
export class Problem extends Error {
  constructor(key, values = {}) {
    super(t(key, values));
    this.key = key;
  }

  /** Prefix the location; returns the problem itself. */
  at(where) {
    if (where) this.message = `${where}: ${this.message}`;
    return this;
  }
}
