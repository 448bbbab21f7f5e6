// Delimited text as a rectangular table of cells, as `cogmap.maps.formats` reads it.

import { Problem, t } from "./board_text.js";
import { checkSize } from "./board_drawing.js";
import { asNumber } from "./board_words.js";

const PAIRS = /^\s*\{\s*\d+\s*:.*\}\s*$/s;
const BRACKETED = /^\s*[([{](.*)[)\]}]\s*[,;]?\s*$/s;
const FORMULA = /^'*[=+\-@\t\r]/;
const DELIMITERS = [",", ";", "\t", "|"];
const LOOKED_AT = 2 ** 16;

export function isText(cell) {
  return typeof cell === "string" && asNumber(cell) === null;
}

/** Return whether text has the form {1:"rain", 2:"sun"}, which names the concepts of another file. */
export function arePairs(text) {
  return PAIRS.test(text);
}

/** A rectangular table; empty and blank cells are null. `whole` also has the empty rows and columns around it. */
export class Grid {
  constructor(rows, place, whole = null) {
    Object.assign(this, { rows, place, whole });
  }

  static of(rows, place) {
    const cells = rows.map((row) =>
      row.map((cell) => ((typeof cell === "string" && !cell.trim()) || cell === undefined ? null : cell)),
    );
    const full = cells.flatMap((row, i) => (row.some((cell) => cell !== null) ? [i] : []));
    const kept = cells.flatMap((row, i) => (row.length > 1 || full.includes(i) ? [i] : []));
    const width = kept.reduce((most, i) => Math.max(most, cells[i].length), 0);
    checkSize(kept.length * width, t("partsCells"));
    const whole = kept.map((i) => [...cells[i], ...Array(width - cells[i].length).fill(null)]);
    const inner = kept.flatMap((i, k) => (full.length && full[0] <= i && i <= full.at(-1) ? [k] : []));
    let first = Infinity,
      end = 0;
    for (const row of whole)
      row.forEach((cell, j) => {
        if (cell !== null) [first, end] = [Math.min(first, j), Math.max(end, j + 1)];
      });
    if (first === Infinity) first = 0;
    return new Grid(
      inner.map((k) => whole[k].slice(first, end)),
      (i, j) => place(kept[inner[i]], j + first),
      new Grid(whole, (i, j) => place(kept[i], j)),
    );
  }

  below(count) {
    return Grid.of(this.rows.slice(count), (i, j) => this.place(i + count, j));
  }

  get width() {
    return this.rows.length ? this.rows[0].length : 0;
  }
}

/** Split text into cells; leading lines that start with # are comments. */
export function readGrid(text) {
  let lines = text.split(/\r\n|\r|\n/);
  let comments = lines.findIndex((line) => line.trim() && !line.startsWith("#"));
  if (comments < 0) comments = lines.length;
  if (comments) {
    lines = [...Array(comments).fill(""), ...lines.slice(comments)];
    text = lines.join("\n");
  }
  const written = lines.filter((line) => line.trim());
  if (written.length && written.every((line) => BRACKETED.test(line))) {
    lines = lines.map((line) => BRACKETED.exec(line)?.[1] ?? line);
    text = lines.join("\n");
  }
  const delimiter = delimiterOf(text);
  checkSize(text.split(delimiter ?? " ").length - 1, t("partsCells"));
  const { rows, numbers } =
    delimiter === null
      ? { rows: lines.map((line) => line.split(/\s+/).filter(Boolean)), numbers: lines.map((_, i) => i + 1) }
      : parseRows(text, delimiter, true);
  return Grid.of(
    rows.map((row) => row.map(unescaped)),
    (i, j) => t("placeLine", { line: numbers[i], column: j + 1 }),
  );
}

/** Remove the apostrophe that keeps spreadsheets from evaluating a cell. */
function unescaped(text) {
  return text.startsWith("'") && FORMULA.test(text) ? text.slice(1) : text;
}

/** Prefix text that a spreadsheet would evaluate as a formula with an apostrophe. */
export function harmless(text) {
  if (!FORMULA.test(text)) return text;
  const plain = text.replace(",", ".").trim();
  return plain !== "" && Number.isFinite(Number(plain)) ? text : `'${text}`;
}

function delimiterOf(text) {
  const first = /^.*[\t;,|]/m.exec(text);
  if (first) return findDelimiter(text.slice(first.index));
  const line = text.split(/\r\n|\r|\n/).find((one) => one.trim()) ?? "";
  return /^[-+\d.eE\s]*$/.test(line) ? null : ",";
}

/** Return the delimiter with which most records have as many cells as the first. */
function findDelimiter(text) {
  const end = text.lastIndexOf("\n", LOOKED_AT - 1);
  const records = text.length < LOOKED_AT ? text : text.slice(0, end >= 0 ? end + 1 : LOOKED_AT);
  let [best, most] = [",", [0, 1]];
  for (const delimiter of DELIMITERS) {
    const widths = parseRows(records, delimiter, false)
      .rows.map((row) => row.length)
      .filter(Boolean);
    const agreement = widths.length ? widths.filter((width) => width === widths[0]).length / widths.length : 0;
    if (!widths.length || widths[0] <= 1) continue;
    if (agreement > most[0] || (agreement === most[0] && widths[0] > most[1]))
      [best, most] = [delimiter, [agreement, widths[0]]];
  }
  return best;
}

/** Parse delimited text; returns the rows and the line on which each starts. Blanks before a cell are skipped. */
function parseRows(text, delimiter, strict) {
  const rows = [],
    numbers = [];
  let row = [],
    cell = "",
    state = "start",
    line = 1,
    first = 1,
    empty = true;
  const endCell = () => {
    row.push(cell);
    cell = "";
    state = "start";
  };
  const endRow = () => {
    if (!empty) endCell();
    rows.push(row);
    numbers.push(first);
    [row, cell, state, empty] = [[], "", "start", true];
    first = line;
  };
  for (let place = 0; place < text.length; place++) {
    const letter = text[place];
    const isBreak = letter === "\n" || letter === "\r";
    const skipped = letter === "\r" && text[place + 1] === "\n";
    if (state === "quoted") {
      if (isBreak) line += skipped ? 0 : 1;
      if (letter === '"') state = "quote";
      else cell += letter;
      continue;
    }
    if (isBreak) {
      if (skipped) place++;
      line++;
      endRow();
      continue;
    }
    empty = false;
    if (letter === delimiter) endCell();
    else if (state === "start" && letter === '"') state = "quoted";
    else if (state === "start" && letter === " " && strict) continue;
    else if (state === "quote" && letter === '"') {
      cell += '"';
      state = "quoted";
    } else if (state === "quote" && strict)
      throw new Problem("afterQuote", { delimiter }).at(t("placeRow", { line: first }));
    else {
      cell += letter;
      state = "plain";
    }
  }
  if (state === "quoted" && strict) throw new Problem("openQuote").at(t("placeRow", { line: first }));
  if (!empty || cell) endRow();
  return { rows, numbers };
}
