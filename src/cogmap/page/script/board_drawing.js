// Concepts and edges as written in a file, the common result of all readers, as `cogmap.maps.formats.drawing` has them.

import { Problem, t } from "./board_text.js";
import { asNumber } from "./board_words.js";

export const PARAMETERS = { bias: 0, slope: 1, activation: "sigmoid" };
export const ACTIVATION_NAMES = ["sigmoid", "logistic", "tanh", "saturation", "bivalent", "trivalent"];
export const MOST_PARTS = 4_000_000;
const NUMBERS = new Set(["x", "y", "confidence", "lag", "bias", "slope"]);
const STRICT_NUMBERS = new Set(["x", "y", "bias", "slope"]);

/** Run a function and prefix the problems it raises with their location. */
export function at(where, run) {
  try {
    return run();
  } catch (error) {
    throw error instanceof Problem ? error.at(where) : error;
  }
}

export function checkSize(parts, what) {
  if (parts > MOST_PARTS) throw new Problem("tooManyParts", { parts, what, most: MOST_PARTS });
}

/** Convert a cell to the name of a concept. */
export function label(cell) {
  if (cell === null || cell === undefined) return "";
  return typeof cell === "boolean" ? (cell ? "True" : "False") : String(cell);
}

/** Convert a cell to the detail named `key`; null if the cell is empty. */
export function fromText(key, cell) {
  if (cell === null || cell === undefined || (typeof cell === "string" && !cell.trim())) return null;
  if (NUMBERS.has(key)) {
    const value = asNumber(cell);
    if (value !== null || ["nan", "undefined", "null"].includes(String(cell).trim().toLowerCase())) return value;
    if (STRICT_NUMBERS.has(key)) throw new Problem("detailNotANumber", { key, cell });
  }
  if (key === "external") return ["true", "1", "1.0", "yes", "x"].includes(String(cell).trim().toLowerCase()) || null;
  return label(cell);
}

/** Convert pairs of keys and cells to details, skipping empty ones. */
export function detailsFromText(cells) {
  const details = {};
  for (const [key, cell] of cells) {
    const value = fromText(key, cell);
    if (value !== null) details[key] = value;
  }
  return details;
}

export class Drawing {
  constructor(details = {}) {
    this.concepts = new Map(); // details of each concept by name
    this.edges = []; // {source, target, weight, where, details}
    this.details = details;
    this.ids = new Map(); // names by other identifiers
    this.held = new Set(); // names of the held concepts
    this.parameters = new Map(); // bias, slope and activation by name, if the format separates them from details
  }

  add(name, where, about, ...ids) {
    if (!name.trim()) throw new Problem("noName").at(where);
    if (this.concepts.has(name)) throw new Problem("sameName", { name }).at(where);
    this.concepts.set(name, about);
    for (const id of ids) {
      if (!this.ids.has(id)) this.ids.set(id, name);
      else if (this.ids.get(id) !== name) throw new Problem("sameId", { one: this.ids.get(id), name, id }).at(where);
    }
  }

  named(end, where) {
    const name = this.ids.get(end) ?? end;
    if (!this.concepts.has(name)) throw new Problem("unknownConcept", { name: end }).at(where);
    return name;
  }

  connect(source, target, weight, where, details) {
    this.edges.push({ source: this.named(source, where), target: this.named(target, where), weight, where, details });
  }

  /** Convert to a map: an object in the form of our JSON files. */
  toMap() {
    const edges = new Map();
    for (const { source, target, weight: written, where, details } of this.edges) {
      const key = JSON.stringify([source, target]);
      const weight = written ?? 0;
      const before = edges.get(key);
      if (before && before.weight !== weight)
        throw new Problem("twoWeights", { source, target, one: before.weight, other: weight }).at(
          typeof where === "function" ? where() : where,
        );
      const about = Object.keys(details ?? {}).length || !weight ? (details ?? {}) : before?.details;
      edges.set(key, { source, target, weight, ...(about ? { details: about } : {}) });
    }
    if (!this.concepts.size) throw new Problem("noConcepts");
    checkSize(this.concepts.size ** 2, t("partsWeights"));
    for (const { source, target, weight } of edges.values())
      if (weight && this.held.has(target)) throw new Problem("heldInfluenced", { name: target, source });
    const concepts = [...this.concepts].map(([name, about]) => this.#concept(name, about));
    return { details: this.details, concepts, edges: sortedEdges(concepts, [...edges.values()]) };
  }

  #concept(name, about) {
    const parameters = { ...(this.parameters.get(name) ?? about) };
    const details = { ...about };
    if (!this.parameters.has(name)) for (const key of Object.keys(PARAMETERS)) delete details[key];
    if (asNumber(parameters.activation ?? null) !== null) {
      details["activation level"] = parameters.activation; // some tools use this name for the initial state
      delete parameters.activation;
    }
    const { bias, slope, activation } = { ...PARAMETERS, ...pick(parameters, Object.keys(PARAMETERS)) };
    if (typeof bias !== "number" || !Number.isFinite(bias)) throw new Problem("badBias", { name, bias });
    if (typeof slope !== "number" || !Number.isFinite(slope) || slope <= 0)
      throw new Problem("badSlope", { name, slope });
    if (!ACTIVATION_NAMES.includes(activation)) throw new Problem("badActivation", { name, activation });
    for (const axis of ["x", "y"])
      if (axis in details && typeof details[axis] !== "number") throw new Problem("badPosition", { name, axis });
    const held = this.held.has(name) ? { held: true } : {};
    return { name, bias, slope, activation, ...held, ...(Object.keys(details).length ? { details } : {}) };
  }
}

/** Sort edges by source, then by target, in the order of the concepts. */
export function sortedEdges(concepts, edges) {
  const place = new Map(concepts.map(({ name }, i) => [name, i]));
  return edges.sort((a, b) => place.get(a.source) - place.get(b.source) || place.get(a.target) - place.get(b.target));
}

export function pick(object, keys) {
  return Object.fromEntries(keys.filter((key) => object[key] !== undefined).map((key) => [key, object[key]]));
}
