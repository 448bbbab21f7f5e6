// Formatting of numbers and names.

import { wordOf } from "./columns.js";

const MINUS = "−";
const GROUPED = 10000; // separators from here on: 2024 may be a year
const AMOUNT = 1000; // and in amounts
const [LARGEST, SMALLEST] = [1e15, 1e-9];
let [decimal, separator] = [".", ","];
let decimals = null; // of predicted values

/** Write numbers as the table does, with a decimal point or a decimal comma, and values no finer than they are known. */
export function setNumbers({ decimal: mark, card }) {
  [decimal, separator] = mark === "," ? [",", "."] : [".", ","];
  const error = card?.errors?.median;
  decimals = error > 0 ? Math.min(Math.max(Math.ceil(-Math.log10(error / 10)), 0), 9) : null;
}

/** Write a number of the card, which has a decimal point, as the table does. */
export function localFigure(text) {
  return text.replace(/[.,]/g, (mark) => (mark === "." ? decimal : separator));
}

/** Format a number with about three significant digits, without trailing zeros or exponents. */
export function number(value, digits = 3, from = GROUPED) {
  return written(value, digits, true, from);
}

/** Format a number for a text box: as `number`, without separators of thousands. */
export function entryNumber(value, digits = 6) {
  return written(value, digits, false);
}

function written(value, digits, grouped, from) {
  if (value === null || Number.isNaN(value)) return "unknown";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= LARGEST || size < SMALLEST) {
    const [mantissa, exponent] = value.toExponential(digits - 1).split("e");
    return `${local(trimmed(mantissa), false)}·10^${Number(exponent)}`;
  }
  const decimals = Math.max(digits - 1 - Math.floor(Math.log10(size)), 0);
  return local(trimmed(value.toFixed(Math.min(decimals, 12))), grouped, from);
}

function trimmed(text) {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** Write digits with the marks of the table, and a proper minus sign. */
function local(text, grouped = true, from = GROUPED) {
  const [whole, fraction] = text.replace("-", MINUS).split(".");
  const large = grouped && Math.abs(Number(text)) >= from;
  const groups = large ? whole.replace(/(\d)(?=(\d{3})+$)/g, `$1${separator}`) : whole;
  return fraction === undefined ? groups : `${groups}${decimal}${fraction}`;
}

/** Format a share as a number of 100 rows; shares near 0 and 1 keep decimals, so that few are rounded to these. */
export function ofHundred(share) {
  let decimals = (share > 0.99 && share < 1) || (share > 0 && share < 0.01) ? 1 : 0;
  while (decimals && decimals < 4 && [0, 100].includes(Number((100 * share).toFixed(decimals)))) decimals++;
  return local(trimmed((100 * share).toFixed(decimals)));
}

/** Format a number with its sign. */
export function signed(value, digits = 3, from = GROUPED) {
  const text = number(value, digits, from);
  return value > 0 && text !== "0" ? `+${text}` : text;
}

/** Format a number with a fixed number of decimals, so that its width is stable while it changes. */
export function fixed(value, decimals, from = GROUPED) {
  return local(value.toFixed(decimals), true, from).replace(/^−(0([.,]0*)?)$/, "$1");
}

export function signedFixed(value, decimals, from = GROUPED) {
  const text = fixed(value, decimals, from);
  return value > 0 && /[1-9]/.test(text) ? `+${text}` : text;
}

/** Format a probability as a percentage; values near 0 and 1 are never rounded to certainty. */
export function percent(share) {
  if (isExtreme(share)) return share > 0.5 ? "over 99.9\u00a0%" : "under 0.1\u00a0%";
  if (share !== 0.5 && Math.abs(share - 0.5) < 5e-4) return `just ${share > 0.5 ? "over" : "under"} 50\u00a0%`;
  return `${fixed(100 * share, percentDecimals(share))}\u00a0%`;
}

function isExtreme(share) {
  return (share > 0.999 && share < 1) || (share < 0.001 && share > 0);
}

/** Return the decimals of a percentage: one near 0 and 1, and near 50 %, where it decides. */
function percentDecimals(share) {
  return share > 0.99 || share < 0.01 || (share > 0.49 && share < 0.51 && share !== 0.5) ? 1 : 0;
}

/** Format the difference of two probabilities so that it agrees with their percentages. */
export function pointsBetween(from, to) {
  if (isExtreme(from) || isExtreme(to)) return points(to - from);
  const written = (share) => Number((100 * share).toFixed(percentDecimals(share)));
  return `${signedFixed(written(to) - written(from), Math.max(percentDecimals(from), percentDecimals(to)))} points`;
}

/** Format a difference of probabilities in percentage points. */
export function points(difference) {
  const decimals = Math.abs(difference) < 0.1 ? 1 : 0;
  return `${signedFixed(100 * difference, decimals)} points`;
}

export function count(amount, noun, plural = `${noun}s`) {
  return `${amount} ${amount === 1 ? noun : plural}`;
}

/** "a", "a and b", "a, b and c". */
export function listed(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}

/** Shorten a name in the middle, since names often differ at their ends. */
export function short(name, longest = 40) {
  const text = oneLine(name);
  if (text.length <= longest) return text;
  const head = Math.ceil(0.6 * (longest - 1));
  return `${text.slice(0, head)}…${text.slice(text.length - (longest - 1 - head))}`;
}

/** Replace line breaks and invisible characters in a name. */
export function oneLine(name) {
  return name.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, " ");
}

/** Name a class in a sentence: a number alone would read as an amount. */
export function className(name) {
  return /^[-+]?[\d.]+$/.test(name) || name === "" ? `class ${name}` : name;
}

/** Return the name of a concept for people: the output "class=yes" is called as the class is elsewhere. */
export function conceptName({ kind, concepts }, i) {
  const concept = concepts[i];
  const isClass = kind === "classifier" && concept.kind === "output";
  return isClass ? className(concept.name.replace(/^class=/, "")) : concept.name;
}

/** Format a value of a column; in a column with large numbers all have separators of thousands. */
export function cell(value, column, digits = 6) {
  if (value === null) return "unknown";
  const from = Math.max(Math.abs(column.low), Math.abs(column.high)) >= GROUPED ? AMOUNT : GROUPED;
  return wordOf(column, value) ?? (typeof value === "number" ? number(value, digits, from) : String(value));
}

/** Format a value of a column with its unit, unless that is part of the name. */
export function cellWithUnit(value, column, digits = 6) {
  const isPlain = value === null || column.choices || !column.unit || column.name.includes(column.unit);
  return isPlain ? cell(value, column, digits) : `${cell(value, column, digits)}\u00a0${oneLine(column.unit)}`;
}

/** Format a predicted value with the unit of the target, with as many decimals as its error allows. */
export function amount(value, unit = "") {
  return `${decimals === null ? number(value, 4, AMOUNT) : fixed(value, decimals, AMOUNT)}\u00a0${unit}`.trim();
}

/** Format the difference of two predicted values so that it agrees with them as they are written. */
export function amountBetween(from, to, unit = "") {
  if (decimals === null) return signedAmount(to - from, unit);
  return signedAmount(Number(to.toFixed(decimals)) - Number(from.toFixed(decimals)), unit);
}

/** Format a difference of predicted values. */
export function signedAmount(value, unit = "") {
  return `${decimals === null ? signed(value, 3, AMOUNT) : signedFixed(value, decimals, AMOUNT)}\u00a0${unit}`.trim();
}
