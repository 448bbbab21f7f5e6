// What depends on the kind of a column; Python says it by `choices`, `one_hot`, `rare` and `words` of the payload.
// A cell is null if unknown; otherwise it is the text of a choice in a one-hot encoded column, the index of a choice in
// another column with choices, and a number in a column without. Its code is a number in all cases, NaN if unknown.

const LONGEST = 80; // characters of a value in a message
const MISSING = new Set(["", "na", "n/a", "nan", "null", "none", "unknown", "?"]);

/** Return whether a value is missing. */
export function isMissing(value) {
  return value === null || value === undefined || value === "" || Number.isNaN(value);
}

/** Return the code of a cell. Rare choices share the last one; unseen ones count as missing. */
export function codeOf({ one_hot, choices, rare }, cell) {
  if (isMissing(cell)) return NaN;
  if (!one_hot) return Number(cell);
  const place = choices.indexOf(String(cell));
  return place >= 0 ? place : rare?.includes(String(cell)) ? choices.length - 1 : NaN;
}

/** Return the cell with a code. */
export function cellOf({ one_hot, choices }, code) {
  return Number.isNaN(code) ? null : one_hot ? choices[code] : code;
}

/** Return whether a value can be a cell. */
export function isCell({ one_hot, choices }, value) {
  return value === null || (one_hot ? choices.includes(value) : Number.isFinite(value));
}

/** Set the features of a column from a code that is not NaN. */
export function setFeatures({ one_hot, features: own }, code, features) {
  if (one_hot) own.forEach((feature, k) => (features[feature] = k === code ? 1 : 0));
  else features[own[0]] = code;
}

/** Return the word for a cell of a column with choices, undefined if there is none. */
export function wordOf(column, cell) {
  return column?.choices?.[codeOf(column, cell)];
}

/** Parse the text of a cell: returns {value} or {problem}. */
export function readCell(text, column) {
  const { name, choices, rare, words } = column;
  const plain = text.trim().toLowerCase();
  const place = choices?.indexOf(text) ?? -1;
  if (place >= 0) return { value: cellOf(column, place) };
  if (MISSING.has(plain)) return { value: null };
  if (words && Object.hasOwn(words, plain)) return { value: words[plain] };
  if (rare?.includes(text)) return { value: choices.at(-1) };
  if (choices) return { problem: `“${name}” has no “${text.slice(0, LONGEST)}”: it is one of ${choices.join(", ").slice(0, 5 * LONGEST)}.` };
  const value = Number(text.replace("−", "-").replace(/^([^.,]*),(\d+)$/, "$1.$2"));
  return Number.isFinite(value) ? { value } : { problem: `“${name}” takes a number, and “${text.slice(0, LONGEST)}” is not one.` };
}
