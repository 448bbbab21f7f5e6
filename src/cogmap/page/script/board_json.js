// JSON files: our own format, that of Mental Modeler and those of other tools, as `cogmap.maps.formats` reads them.

import { Drawing, PARAMETERS, at, detailsFromText, label, pick } from "./board_drawing.js";
import { Grid } from "./board_grid.js";
import { isMentalModeler, isObject, readMmpJson } from "./board_mmp.js";
import { readTable } from "./board_tables.js";
import { Problem, t } from "./board_text.js";
import { asNumber, readLetters, readWords } from "./board_words.js";

export const FORMAT = "cogmap map";
export const VERSION = 1;
const CONCEPTS = ["concepts", "nodes", "factors", "vertices", "variables"];
const EDGES = ["edges", "links", "relations", "relationships", "connections", "arcs"];
const MATRICES = ["weights", "matrix", "adjacency", "adjacency_matrix", "weight_matrix", "weightMatrix"];
const SOURCES = ["source", "from", "origin", "sourceId", "source_id", "from_id", "cause"];
const TARGETS = ["target", "to", "destiny", "destination", "targetId", "target_id", "to_id", "effect"];
const WEIGHTS = ["weight", "influence", "value", "strength", "label"];
const NAMES = ["name", "label", "title", "id", "key"];

/** Return the maps in a JSON value, as pairs of a name and a function that makes the drawing. */
export function readJson(value) {
  if (isObject(value) && value.format === FORMAT) {
    if (value.version !== VERSION) throw new Problem("otherVersion", { version: value.version, ours: VERSION });
    return [["", () => ownDrawing(value)]];
  }
  if (isMentalModeler(value)) return [["", readMmpJson(value, readLetters)]];
  return readOther(value, readWords);
}

function member(value, key, empty) {
  const found = value[key] ?? empty;
  if (Array.isArray(found) !== Array.isArray(empty) || typeof found !== "object")
    throw new Problem(Array.isArray(empty) ? "mustBeList" : "mustBeMapping", { key });
  return found;
}

function ownDrawing(value) {
  const drawing = new Drawing({ ...member(value, "details", {}) });
  member(value, "concepts", []).forEach((concept, k) => {
    const where = `concepts[${k}]`;
    if (!isObject(concept) || typeof concept.name !== "string") throw new Problem("conceptNeedsName").at(where);
    if (drawing.concepts.has(concept.name)) throw new Problem("sameName", { name: concept.name }).at(where);
    drawing.concepts.set(concept.name, { ...member(concept, "details", {}) });
    if (![undefined, true, false].includes(concept.held)) throw new Problem("badHeld").at(where);
    if (concept.held) drawing.held.add(concept.name);
    drawing.parameters.set(concept.name, pick(concept, Object.keys(PARAMETERS)));
  });
  member(value, "edges", []).forEach((edge, k) => {
    const where = `edges[${k}]`;
    if (!isObject(edge) || asNumber(edge.weight) === null) throw new Problem("edgeNeedsParts").at(where);
    const weight = at(where, () => readWords(edge.weight));
    drawing.connect(
      String(edge.source),
      String(edge.target),
      weight,
      where,
      at(where, () => member(edge, "details", {})),
    );
  });
  return drawing;
}

function firstOf(value, keys) {
  const key = keys.find((one) => value[one] !== undefined && value[one] !== null);
  return key === undefined ? null : value[key];
}

function readOther(value, read) {
  if (isObject(value) && isObject(value.elements)) value = value.elements; // Cytoscape
  if (isObject(value)) {
    const [concepts, edges, matrix] = [CONCEPTS, EDGES, MATRICES].map((keys) => firstOf(value, keys));
    if (Array.isArray(edges) && (concepts === null || Array.isArray(concepts)))
      return [["", () => graphDrawing(value, concepts, edges, read)]];
    if (Array.isArray(matrix) && Array.isArray(concepts)) {
      const names = concepts.map((one) => label(isObject(one) ? firstOf(one, NAMES) : one));
      if (matrix.length !== concepts.length || !matrix.every(Array.isArray))
        throw new Problem("matrixOfOtherSize", { concepts: concepts.length, rows: matrix.length });
      const rows = matrix.map((row, i) => [names[i], ...row]);
      return readTable(
        Grid.of([[null, ...names], ...rows], (row, column) => t("placeMatrix", { row, column })),
        read,
      );
    }
    const parts = Object.values(value);
    if (parts.length && parts.every(Array.isArray))
      return Object.entries(value).flatMap(([expert, items]) => records(items, expert, read, expert));
    if (parts.length && parts.every(isObject)) throw new Problem("nestedObjects");
  } else if (Array.isArray(value) && value.length) {
    if (value.every((item) => isObject(item) && "affects" in item)) return [["", () => affectsDrawing(value, read)]];
    if (isListOfConcepts(value) && !value.some((item) => isObject(item) && firstOf(item, TARGETS)))
      throw new Problem("namesOnly");
    if (value.every(Array.isArray))
      return readTable(
        Grid.of(value, (i, j) => t("placeCell", { row: i + 1, column: j + 1 })),
        read,
      );
    return records(value, "", read);
  }
  throw new Problem("unknownJson");
}

function isListOfConcepts(value) {
  return (
    value.every((item) => typeof item === "string") ||
    value.every((item) => isObject(item) && "name" in item && !("affects" in item))
  );
}

function flat(item, where) {
  if (!isObject(item)) throw new Problem("notAnObject").at(where);
  const plain = (part) => Object.entries(part).filter(([, cell]) => cell === null || typeof cell !== "object");
  const inner = ["position", "data"].filter((key) => isObject(item[key])).flatMap((key) => plain(item[key]));
  return Object.fromEntries([...plain(item), ...inner]);
}

function graphDrawing(value, concepts, edges, read) {
  if (value.directed === false) throw new Problem("undirected");
  const drawing = new Drawing();
  (concepts ?? []).forEach((concept, k) => {
    const where = t("placeConcept", { number: k + 1 });
    const attributes = typeof concept === "string" ? { name: concept } : flat(concept, where);
    const key = NAMES.find((one) => ![undefined, null, ""].includes(attributes[one])) ?? "name";
    const about = at(where, () =>
      detailsFromText(Object.entries(attributes).filter(([name]) => name !== key && name !== "id")),
    );
    const ids = ["id", "key"]
      .filter((one) => ![undefined, null].includes(attributes[one]))
      .map((one) => label(attributes[one]));
    drawing.add(label(attributes[key]), where, about, ...ids);
  });
  edges.forEach((edge, k) => {
    const where = t("placeEdge", { number: k + 1 });
    const ends = [endOf(edge, SOURCES, where), endOf(edge, TARGETS, where)];
    const attributes = flat(edge, where);
    const key = WEIGHTS.find((one) => ![undefined, null].includes(attributes[one]));
    if (key === undefined) throw new Problem("edgeWithoutWeight").at(where);
    const used = new Set([key, "id", ...SOURCES, ...TARGETS, "direction"]);
    const [weight, about] = at(where, () => [
      read(attributes[key], attributes.direction ?? null),
      detailsFromText(Object.entries(attributes).filter(([name]) => !used.has(name))),
    ]);
    if (concepts === null) for (const end of ends) if (!drawing.concepts.has(end)) drawing.concepts.set(end, {});
    drawing.connect(...ends, weight, where, about);
  });
  return drawing;
}

function endOf(edge, keys, where) {
  let node = isObject(edge) ? firstOf(edge, keys) : null;
  if (node === null && isObject(edge?.data)) node = firstOf(edge.data, keys);
  if (isObject(node)) node = firstOf(node, ["id", "name"]);
  if (node === null) throw new Problem("edgeWithoutEnd", { end: keys[0] }).at(where);
  return label(node);
}

/** Read JSON of FSDM: each concept with the concepts that it affects, and all values in lists of one. */
function affectsDrawing(items, read) {
  const drawing = new Drawing();
  const single = (value) => (Array.isArray(value) ? (value[0] ?? null) : (value ?? null));
  items.forEach((item, k) =>
    drawing.add(label(single(item.name ?? item.variable)), t("placeConcept", { number: k + 1 }), {}),
  );
  const names = [...drawing.concepts.keys()];
  items.forEach((item, k) => {
    (Array.isArray(item.affects) ? item.affects : []).forEach((effect, r) => {
      const where = t("placeRelationship", { name: names[k], number: r + 1 });
      if (!isObject(effect)) throw new Problem("notAnObject").at(where);
      const { variable, name, weight, direction, ...rest } = Object.fromEntries(
        Object.entries(effect).map(([key, cell]) => [key, single(cell)]),
      );
      const target = label(variable || name || null);
      const value = at(where, () => read(weight ?? null, direction ?? null));
      if (!drawing.concepts.has(target)) drawing.concepts.set(target, {});
      const about = variable && name !== undefined ? { name, ...rest } : rest;
      drawing.connect(names[k], target, value, where, detailsFromText(Object.entries(about)));
    });
  });
  return drawing;
}

/** Read a list of edges, given as objects, as a table. */
function records(items, whose, read, name = "") {
  if (!items.every(isObject)) throw new Problem("unknownJson");
  const header = [...new Set(items.flatMap(Object.keys))];
  const rows = items.map((item) => header.map((key) => (typeof (item[key] ?? null) === "object" ? null : item[key])));
  const place = (i) => [whose, t("placeEdge", { number: i })].filter(Boolean).join(", ");
  return readTable(Grid.of([header, ...rows], place), read, name);
}
