// Files of Mental Modeler (.mmp): XML, or JSON with the same structure, as `cogmap.maps.formats.mental_modeler` has them.

import { Drawing, at, detailsFromText, label } from "./board_drawing.js";
import { Problem, t } from "./board_text.js";

const DEFAULTS = { confidence: 0, preferredState: "0" }; // equivalent to a missing entry
export const INFO_DEFAULTS = { name: "Model", author: "", description: "", version: "1.1" };

export function isMentalModeler(value) {
  if (!isObject(value) || !Array.isArray(value.concepts) || !value.concepts.every(isObject)) return false;
  return "groupNames" in value || value.concepts.some((concept) => "relationships" in concept);
}

export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Read a document, whose group tags <0>, <1>, ... are not well-formed and are renamed. */
export function readMmpXml(text, read) {
  if (/<!doctype/i.test(text)) throw new Problem("xmlDoctype");
  const repaired = text.replace(/<groupNames[\s>].*?<\/groupNames\s*>/gs, (block) =>
    block.replace(/(<\/?)(\d+)(?=[\s/>])/g, "$1group$2"),
  );
  const root = new DOMParser().parseFromString(repaired, "application/xml").documentElement;
  if (root.getElementsByTagName("parsererror").length || root.localName === "parsererror")
    throw new Problem("xmlBroken");
  if (root.localName.toLowerCase() !== "mentalmodeler") throw new Problem("xmlRoot", { root: root.localName });
  const concepts = children(child(root, "concepts"), "concept").map((concept) => ({
    ...leaves(concept),
    relationships: children(child(concept, "relationships"), "relationship").map(leaves),
  }));
  const groupNames = Object.fromEntries(
    children(child(root, "groupNames")).map((group) => [group.localName.replace(/^group/, ""), textOf(group)]),
  );
  const scenarios = children(child(root, "scenarios"), "scenario").map((scenario) => ({
    ...leaves(scenario),
    concepts: children(child(scenario, "concepts"), "concept").map(leaves),
  }));
  return drawingOf({ info: leaves(child(root, "info")), groupNames, concepts, scenarios }, read);
}

function children(element, name = null) {
  return element ? [...element.children].filter((one) => name === null || one.localName === name) : [];
}

function child(element, name) {
  return children(element, name)[0] ?? null;
}

function leaves(element) {
  return Object.fromEntries(
    children(element)
      .filter((one) => !one.children.length)
      .map((one) => [one.localName, textOf(one)]),
  );
}

function textOf(element) {
  return [...element.childNodes]
    .filter((node) => node.nodeType === 3 || node.nodeType === 4)
    .map((node) => node.data)
    .join("");
}

/** Return a function that makes the drawing of a JSON value. */
export function readMmpJson(value, read) {
  return () => drawingOf(value, read);
}

function drawingOf(value, read) {
  const drawing = new Drawing();
  const groups = Object.fromEntries(
    Object.entries(isObject(value.groupNames) ? value.groupNames : {}).filter(
      ([, name]) => typeof name === "string" && name,
    ),
  );
  const called = namesInRelationships(value.concepts);
  value.concepts.forEach((concept, k) => {
    const where = t("placeConcept", { number: k + 1 });
    const id = label(concept.id);
    const about = at(where, () => aboutOf(concept, "name", "relationships"));
    if (about.group === "0" && !("0" in groups)) delete about.group;
    if (about.id === String(k + 1)) delete about.id;
    const written = label(concept.name);
    const name = written.trim() ? written : (called.get(id) ?? `concept ${id || k + 1}`);
    drawing.add(name, where, about, ...(id ? [id] : []));
  });
  const names = [...drawing.concepts.keys()];
  value.concepts.forEach((concept, k) => {
    listOf(concept.relationships).forEach((one, r) => {
      const where = t("placeRelationship", { name: names[k], number: r + 1 });
      at(where, () => drawing.edges.push(edgeOf(drawing, names[k], isObject(one) ? one : {}, where, read)));
    });
  });
  const info = aboutOf(isObject(value.info) ? value.info : {}, "concepts", "edges", "groups", "scenarios");
  drawing.details = Object.fromEntries(Object.entries(info).filter(([key, detail]) => detail !== INFO_DEFAULTS[key]));
  const scenarios = listOf(value.scenarios).filter((one) => isObject(one) && one.concepts && one.concepts.length !== 0);
  if (Object.keys(groups).length) drawing.details.groups = groups;
  if (scenarios.length) drawing.details.scenarios = scenarios;
  return drawing;
}

/** Return the names of targets in relationships by id, for concepts whose own name was deleted. */
function namesInRelationships(concepts) {
  const names = new Map();
  for (const concept of concepts)
    for (const one of listOf(concept.relationships))
      if (isObject(one) && label(one.name).trim()) names.set(label(one.id), label(one.name));
  return names;
}

function listOf(value) {
  return Array.isArray(value) ? value : [];
}

function aboutOf(value, ...but) {
  const cells = Object.entries(value).filter(
    ([key, cell]) => !but.includes(key) && (cell === null || typeof cell !== "object"),
  );
  const details = detailsFromText(cells);
  for (const [key, usual] of Object.entries(DEFAULTS)) if (details[key] === usual) delete details[key];
  return details;
}

function edgeOf(drawing, source, relationship, where, read) {
  const id = label(relationship.id),
    name = label(relationship.name);
  if (!id && !name) throw new Problem("noTarget");
  const target = drawing.ids.get(id) ?? drawing.named(name || id, where);
  const weight = read(relationship.influence ?? null);
  return { source, target, weight, where, details: aboutOf(relationship, "id", "name", "influence") };
}
