// Weight matrices and edge lists, as `cogmap.maps.formats` reads them: rows of a matrix are sources, columns targets.

import { Drawing, PARAMETERS, at, detailsFromText, fromText, label } from "./board_drawing.js";
import { isText } from "./board_grid.js";
import { Problem } from "./board_text.js";
import { asNumber } from "./board_words.js";

const QUESTION = /^(.+?)\s*(?:->|→)\s*(.+?)\s*(?:\(\s*([+-])\s*\))?$/;

/** Return the maps in a table, as pairs of a name and a function that makes the drawing. */
export function readTable(grid, read, name = "") {
  if (!grid.rows.length) throw new Problem("emptyFile");
  const questions = grid.rows[0].map((cell) => QUESTION.exec(label(cell).trim()));
  if (questions.length > 1 && questions.slice(1).every(Boolean)) {
    const rows = grid.rows.flatMap((row, i) => (i && row.some((cell) => cell !== null) ? [i] : []));
    return rows.map((i, n) => {
      const expert = questions[0] ? String(n + 1) : label(grid.rows[i][0]);
      return [`${name} ${expert}`.trim(), () => answers(grid, questions, i, read)];
    });
  }
  return [[name, () => oneTable(grid, read)]];
}

function oneTable(grid, read) {
  const bare = isBareList(grid);
  if (bare && hasWeights(grid, read)) return readBareList(grid, read);
  if (isLabelled(grid)) return readLabelled(grid, read);
  const columns = columnsOfEdges(grid);
  if (columns.has("source") && columns.has("target")) return readEdges(grid, read, columns);
  if (bare) return readBareList(grid, read);
  const [first] = grid.rows;
  if (grid.width > 1 && isText(first[0]) && first.slice(1).every((cell) => cell === null))
    return oneTable(grid.below(1), read);
  return readBareMatrix(grid, read);
}

/** Read one row of answers to questions such as "rain -> umbrellas (+)". */
function answers(grid, questions, i, read) {
  const drawing = new Drawing();
  questions.forEach((question, j) => {
    if (!question) return;
    const [, source, target, sign] = question;
    for (const name of [source, target]) if (!drawing.concepts.has(name)) drawing.add(name, grid.place(0, j), {});
    const weight = at(grid.place(i, j), () => read(grid.rows[i][j], sign ?? null));
    if (weight) drawing.edges.push({ source, target, weight, where: () => grid.place(i, j) });
  });
  return drawing;
}

// ---- matrices --------------------------------------------------------------------------------------------------

// Columns that describe the concept of their row, and the name of the detail.
export const ABOUT = Object.fromEntries(
  ["x", "y", "group", "notes", "units", "external", "bias", "slope", "activation", "description"].map((name) => [
    name,
    name,
  ]),
);
Object.assign(ABOUT, { fixed: "external", driver: "external", note: "notes", unit: "units" });
for (const name of Object.keys(PARAMETERS)) ABOUT[`${name} of the concept`] = name;
const PLAIN_CORNERS = new Set("|concept|concepts|name|names|from|source|from/to|from\\to|unnamed: 0".split("|"));

function folded(cell) {
  return label(cell).toLowerCase().split(/\s+/).filter(Boolean).join(" ");
}

function withCorner(rows) {
  const header = rows[0],
    labels = rows.slice(1).map((row) => row[0]);
  const shifted =
    header.length > 1 && header.at(-1) === null && header[0] !== null && sameCells(header.slice(0, -1), labels);
  return shifted ? [[null, ...header.slice(0, -1)], ...rows.slice(1)] : rows;
}

function sameCells(one, other) {
  return one.length === other.length && one.every((cell, i) => cell === other[i]);
}

function counts(labels) {
  const numbers = labels.map(asNumber);
  return numbers.every((n, i) => n === i + 1) || (numbers.length > 2 && numbers.every((n, i) => n === i));
}

function isLabelled(grid) {
  const [[corner, ...header], ...below] = withCorner(grid.rows);
  const labels = below.map((row) => row[0]).filter((cell) => cell !== null);
  if (!labels.length || (corner !== null && !isText(corner))) return false;
  if (corner === null && !labels.some(isText)) return sameCells(labels, header) && labels.length > 1 && counts(labels);
  const columns = new Set(header.filter((cell) => cell !== null).map(folded));
  return 2 * labels.filter((cell) => columns.has(folded(cell))).length >= labels.length;
}

function readLabelled(grid, read) {
  const rows = withCorner(grid.rows);
  const drawing = new Drawing();
  const corner = label(rows[0][0]).trim();
  if (!PLAIN_CORNERS.has(corner.toLowerCase())) drawing.details.corner = corner;
  const columns = new Map();
  rows[0].forEach((cell, j) => {
    if (!j) return;
    if (cell === null) {
      if (grid.rows.some((row) => row[j] !== null)) throw new Problem("columnWithoutName").at(grid.place(0, j));
    } else if (columns.has(label(cell))) throw new Problem("sameColumn", { name: label(cell) }).at(grid.place(0, j));
    else columns.set(label(cell), j);
  });
  const sources = [];
  rows.forEach((row, i) => {
    if (!i || row.every((cell) => cell === null)) return;
    if (row[0] === null) throw new Problem("rowWithoutName").at(grid.place(i, 0));
    drawing.add(label(row[0]), grid.place(i, 0), {});
    sources.push([i, label(row[0])]);
  });
  const targets = new Map();
  for (const [i, name] of sources) {
    const j = columnOf(name, columns, grid.place(i, 0));
    if (targets.has(j)) throw new Problem("sharedColumn", { name, other: targets.get(j) }).at(grid.place(i, 0));
    targets.set(j, name);
  }
  const about = [...columns.values()].filter((j) => !targets.has(j)).map((j) => [j, aboutColumn(grid, rows, j)]);
  for (const [i, source] of sources) {
    readWeights(drawing, grid, i, source, targets, read);
    for (const [j, key] of about) {
      const value = at(grid.place(i, j), () => fromText(key, grid.rows[i][j]));
      if (value !== null) drawing.concepts.get(source)[key] = value;
    }
  }
  return drawing;
}

function columnOf(name, columns, where) {
  if (columns.has(name)) return columns.get(name);
  const alike = [...columns].filter(([column]) => folded(column) === folded(name));
  if (alike.length !== 1) throw new Problem("rowWithoutColumn", { name }).at(where);
  return alike[0][1];
}

function aboutColumn(grid, rows, j) {
  const name = label(rows[0][j]).trim();
  const key = Object.hasOwn(ABOUT, name.toLowerCase()) ? ABOUT[name.toLowerCase()] : null;
  if (key === null && !rows.slice(1).some((row) => isText(row[j]) || typeof row[j] === "boolean"))
    throw new Problem("columnWithoutRow", { name }).at(grid.place(0, j));
  return key ?? name;
}

function readWeights(drawing, grid, i, source, targets, read) {
  for (const [j, target] of targets) {
    const cell = grid.rows[i][j];
    if (cell === null || cell === undefined || cell === 0) continue;
    const weight = at(grid.place(i, j), () => read(cell));
    if (weight) drawing.edges.push({ source, target, weight, where: () => grid.place(i, j) });
  }
}

/** Read a matrix with names only in its first row, only in its first column, or without names. */
function readBareMatrix(grid, read) {
  const cells = [grid.whole ?? grid, grid].find((one) => namedOnce(one));
  if (!cells) {
    const header = isHeader(grid.rows[0]);
    throw new Problem("notSquare", { rows: grid.rows.length - (header ? 1 : 0), columns: grid.width });
  }
  const { names, top, left } = namedOnce(cells);
  const drawing = new Drawing();
  names.forEach((name, k) => drawing.add(label(name).trim(), cells.place(left ? k : 0, left ? 0 : k), {}));
  const targets = new Map([...drawing.concepts.keys()].map((name, j) => [j + left, name]));
  [...drawing.concepts.keys()].forEach((source, i) => readWeights(drawing, cells, i + top, source, targets, read));
  return drawing;
}

function namedOnce({ rows, width }) {
  if (!rows.length) return null;
  if (isHeader(rows[0])) return rows.length === width + 1 && width > 1 ? { names: rows[0], top: 1, left: 0 } : null;
  if (rows.every((row) => isText(row[0])) && rows.length === width - 1)
    return { names: rows.map((row) => row[0]), top: 0, left: 1 };
  return rows.length === width ? { names: rows.map((_, i) => `C${i + 1}`), top: 0, left: 0 } : null;
}

function isHeader(row) {
  return row.every((cell) => cell !== null) && (row.every(isText) || counts(row));
}

// ---- edge lists ------------------------------------------------------------------------------------------------

const HEADERS = {
  source: "from|source|cause|origin|sender|from concept|source concept|source node",
  target: "to|target|effect|destination|destiny|to concept|target concept|target node",
  weight: "weight|influence|value|strength|w",
  direction: "direction|sign|polarity",
  lag: "lag|delay",
  notes: "notes|note",
};
export const MEANINGS = new Map(
  Object.entries(HEADERS).flatMap(([meaning, headers]) => headers.split("|").map((header) => [header, meaning])),
);

function columnsOfEdges(grid) {
  const columns = new Map();
  grid.rows[0].forEach((cell, j) => {
    const name = label(cell).trim();
    const plain = name.toLowerCase().replaceAll("_", " ").split(/\s+/).filter(Boolean).join(" ");
    const meaning = MEANINGS.get(plain) ?? name;
    if (columns.has(meaning) && (meaning === "source" || meaning === "target"))
      throw new Problem("twoEndColumns", { end: meaning }).at(grid.place(0, j));
    if (name) columns.set(columns.has(meaning) ? name : meaning, j);
  });
  return columns;
}

function readEdges(grid, read, columns) {
  const take = (key) => {
    const j = columns.get(key) ?? null;
    columns.delete(key);
    return j;
  };
  const source = take("source"),
    target = take("target"),
    direction = take("direction"),
    weight = take("weight");
  const terms = weight === null ? termsOf(columns, read) : new Map();
  if (weight === null && !terms.size) throw new Problem("noWeightColumn").at(grid.place(0, 0));
  const drawing = new Drawing();
  grid.rows.forEach((row, i) => {
    if (!i) return;
    const where = () => grid.place(i, source);
    const [start, end] = endsOf(drawing, row, source, target, where);
    const about = at(where(), () =>
      detailsFromText([...columns].filter(([, j]) => !terms.has(j)).map(([key, j]) => [key, row[j]])),
    );
    if (start && !end) Object.assign(drawing.concepts.get(start), about);
    else if (start && terms.size) {
      const marked = [...terms].filter(([j]) => isMarked(row[j])).map(([, term]) => term);
      if (marked.length > 1) throw new Problem("twoMarks", { count: marked.length }).at(where());
      if (marked.length && marked[0])
        drawing.edges.push({ source: start, target: end, weight: marked[0], where, details: about });
    } else if (start && weight !== null) {
      const value = at(grid.place(i, weight), () => read(row[weight], direction === null ? null : row[direction]));
      drawing.edges.push({
        source: start,
        target: end,
        weight: value,
        where: () => grid.place(i, weight),
        details: about,
      });
    }
  });
  return inOrder(drawing);
}

function termsOf(columns, read) {
  const terms = new Map();
  for (const [name, j] of columns) {
    try {
      terms.set(j, read(name) ?? 0);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  }
  return terms;
}

function isMarked(cell) {
  return cell !== null && cell !== false && asNumber(cell) !== 0;
}

function endsOf(drawing, row, source, target, where) {
  let ends = [row[source], row[target]].map(label);
  if (row[target] !== null) ends = ends.map((name) => (drawing.concepts.has(name) ? name : name.trim()));
  const [start, end] = ends;
  if (end && !start) throw new Problem("noSource", { name: end }).at(where());
  if (!start && row.some((cell) => cell !== null)) throw new Problem("noEnds").at(where());
  for (const name of ends) if (name && !drawing.concepts.has(name)) drawing.concepts.set(name, {});
  return ends;
}

function isBareList(grid) {
  if (grid.width !== 3 || grid.rows.some((row) => row[0] === null || row[1] === null)) return false;
  const ends = grid.rows.flatMap((row) => row.slice(0, 2));
  return ends.every(isText) || ends.map(asNumber).every((n) => n !== null && n >= 0 && Number.isInteger(n));
}

function hasWeights(grid, read) {
  try {
    return grid.rows.map((row) => read(row[2])).some((weight) => weight !== null);
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

function readBareList(grid, read) {
  if (grid.rows.length === 3 && !grid.rows.some((row) => isText(row[0]))) throw new Problem("matrixOrEdges");
  const drawing = new Drawing();
  grid.rows.forEach((row, i) => {
    const where = () => grid.place(i, 2);
    const weight = at(where(), () => read(row[2]));
    const [source, target] = endsOf(drawing, row, 0, 1, where);
    drawing.edges.push({ source, target, weight, where });
  });
  return inOrder(drawing);
}

/** Sort the concepts by number if all names are numbers. */
function inOrder(drawing) {
  const names = [...drawing.concepts.keys()];
  if (names.every((name) => /^\d+$/.test(name)))
    drawing.concepts = new Map(names.sort((a, b) => a - b).map((name) => [name, drawing.concepts.get(name)]));
  return drawing;
}
