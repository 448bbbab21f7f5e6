// The map of the board as files that `cogmap.read_map` reads, and as Python code. Pure text.

import { PARAMETERS, label, pick } from "./board_drawing.js";
import { harmless } from "./board_grid.js";
import { FORMAT, VERSION } from "./board_json.js";
import { INFO_DEFAULTS } from "./board_mmp.js";
import { ABOUT, MEANINGS } from "./board_tables.js";
import { Problem } from "./board_text.js";

const XML_NAME = /^[A-Za-z_][A-Za-z0-9_.-]*$/;
const XML_IMPOSSIBLE = /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u;

/** Return the parameters that are not at their default for all concepts. */
function usedParameters(concepts) {
  return Object.keys(PARAMETERS).filter((key) => concepts.some((one) => one[key] !== PARAMETERS[key]));
}

/** Return the details of a concept with its parameters. */
function saidAbout(concepts) {
  const keys = usedParameters(concepts);
  return concepts.map((one) => {
    const { bias: _, slope: __, activation: ___, ...rest } = one.details ?? {};
    return { ...rest, ...pick(one, keys) };
  });
}

function asText(value) {
  if (typeof value === "boolean") return value ? "true" : "false";
  return typeof value === "number" || (typeof value === "string" && value) ? String(value) : null;
}

export function toJson({ details, concepts, edges }) {
  const keys = usedParameters(concepts);
  const lines = (items) => items.map((item) => `    ${JSON.stringify(item)}`).join(",\n");
  const about = ({ details: one }) => (one && Object.keys(one).length ? { details: one } : {});
  const head = Object.keys(details).length ? `  "details": ${JSON.stringify(details)},\n` : "";
  const ours = concepts.map((one) => ({ name: one.name, ...pick(one, keys), ...pick(one, ["held"]), ...about(one) }));
  const all = edges.map((one) => ({ source: one.source, target: one.target, weight: one.weight, ...about(one) }));
  return (
    `{\n  "format": ${JSON.stringify(FORMAT)},\n  "version": ${VERSION},\n${head}` +
    `  "concepts": [\n${lines(ours)}\n  ],\n  "edges": [\n${lines(all)}\n  ]\n}\n`
  );
}

function csv(rows) {
  const written = (cell) =>
    typeof cell === "string" ? `"${harmless(cell).replaceAll('"', '""')}"` : (asText(cell) ?? "");
  return rows.map((row) => `${row.map(written).join(",")}\n`).join("");
}

export function toMatrix({ details, concepts, edges }) {
  const about = saidAbout(concepts),
    names = new Set(concepts.map(({ name }) => name));
  const keys = keysOf(about).filter((key) => Object.hasOwn(ABOUT, key) && (!names.has(key) || key in PARAMETERS));
  const columns = keys.map((key) => (names.has(key) ? `${key} of the concept` : key));
  const repeated = columns.find((column) => names.has(column));
  if (repeated) throw new Problem("columnLikeConcept", { name: repeated });
  const weights = new Map(edges.map(({ source, target, weight }) => [JSON.stringify([source, target]), weight]));
  const corner = typeof details.corner === "string" ? details.corner : "from/to";
  return csv([
    [corner, ...names, ...columns],
    ...concepts.map(({ name }, i) => [
      name,
      ...[...names].map((target) => weights.get(JSON.stringify([name, target])) ?? 0),
      ...cellsOf(about[i], keys),
    ]),
  ]);
}

export function toEdges({ concepts, edges }) {
  const about = saidAbout(concepts);
  const keys = keysOf([...about, ...edges.map(({ details }) => details ?? {})])
    .filter((key) => (MEANINGS.get(key) ?? key) === key)
    .filter((key) => !["source", "target", "weight", "direction"].includes(key));
  return csv([
    ["from", "to", "weight", ...keys],
    ...concepts.map(({ name }, i) => [name, null, null, ...cellsOf(about[i], keys)]),
    ...edges.map(({ source, target, weight, details }) => [source, target, weight, ...cellsOf(details ?? {}, keys)]),
  ]);
}

function keysOf(all) {
  return [...new Set(all.flatMap((details) => Object.keys(details).filter((key) => asText(details[key]) !== null)))];
}

function cellsOf(details, keys) {
  return keys.map((key) => (asText(details[key]) === null ? null : details[key]));
}

export function toMmp({ details, concepts, edges }) {
  const about = saidAbout(concepts);
  const own = concepts.map((_, i) => asText(about[i].id) ?? String(i + 1));
  const numbers = new Set(own).size === own.length ? own : concepts.map((_, i) => String(i + 1));
  const ids = new Map(concepts.map(({ name }, i) => [name, numbers[i]]));
  const relationships = new Map(concepts.map(({ name }) => [name, []]));
  for (const { source, target, weight, details: more = {} } of edges) {
    const all = { id: ids.get(target), name: target, notes: "", confidence: 0, ...more, influence: weight };
    relationships.get(source).push(element("relationship", texts({ ...all, id: ids.get(target), name: target })));
  }
  const parts = concepts.map(({ name }, i) => {
    const angle = (2 * Math.PI * i) / concepts.length;
    const place = { x: Math.round(400 + 300 * Math.sin(angle)), y: Math.round(300 - 250 * Math.cos(angle)) };
    const defaults = { id: "", name: "", notes: "", units: "", group: "0", ...place, preferredState: "0" };
    const leaves = texts({ ...defaults, ...about[i], id: ids.get(name), name });
    return element("concept", leaves + element("relationships", relationships.get(name).join("")));
  });
  const groups = Object.entries(details.groups ?? {})
    .filter(([key]) => /^\d+$/.test(key))
    .map(([key, name]) => leaf(key, label(name)));
  const scenarios = (details.scenarios ?? []).map(({ concepts: entries = [], ...rest }) =>
    element(
      "scenario",
      texts(rest) + element("concepts", entries.map((one) => element("concept", texts(one))).join("")),
    ),
  );
  const text =
    '<?xml version="1.0" encoding="UTF-8"?>\n' +
    element(
      "mentalmodeler",
      element("info", texts({ ...INFO_DEFAULTS, ...details })) +
        element("groupNames", groups.join("")) +
        element("concepts", parts.join("")) +
        element("scenarios", scenarios.join("")),
    );
  if (XML_IMPOSSIBLE.test(text)) throw new Problem("xmlImpossible");
  return text;
}

function texts(details) {
  return Object.entries(details)
    .filter(([key, value]) => XML_NAME.test(key) && (asText(value) !== null || value === ""))
    .map(([key, value]) => leaf(key, asText(value) ?? ""))
    .join("");
}

function leaf(name, text) {
  const signs = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#13;" };
  const plain = text.includes("]]>") || text.includes("\r");
  const inside = plain ? text.replace(/[&<>\r]/g, (sign) => signs[sign]) : `<![CDATA[${text}]]>`;
  return `<${name}>${inside}</${name}>\n`;
}

function element(name, inside) {
  return `<${name}>\n${inside}</${name}>\n`;
}

/** Return Python code that makes the map and runs the scenarios. */
export function toPython({ concepts, edges, details }, { rule, keep, scenarios }) {
  const keys = usedParameters(concepts);
  const one = (key) => new Set(concepts.map((concept) => concept[key])).size === 1;
  const value = (key, concept) => (key === "activation" ? quoted(concept[key]) : String(concept[key]));
  const options = keys.map((key) => {
    const single = key !== "bias" && one(key);
    return `    ${key}=${single ? value(key, concepts[0]) : `[${concepts.map((concept) => value(key, concept)).join(", ")}]`},`;
  });
  const index = new Map(concepts.map(({ name }, i) => [name, i]));
  const lines = [
    "import numpy as np",
    "",
    "from cogmap import FuzzyCognitiveMap",
    ...(scenarios.length ? ["from cogmap.maps.scenarios import scenarios"] : []),
    ...(rule !== "kosko" ? ["from cogmap.maps.rewriting import with_rule"] : []),
    "",
    `concepts = [${concepts.map(({ name }) => quoted(name)).join(", ")}]`,
    "edges = [  # source, target, weight",
    ...edges
      .filter(({ weight }) => weight)
      .map((edge) => `    (${quoted(edge.source)}, ${quoted(edge.target)}, ${edge.weight}),`),
    "]",
    `weights = np.zeros((${index.size}, ${index.size}))`,
    "for source, target, weight in edges:",
    "    weights[concepts.index(target), concepts.index(source)] = weight",
    "fcm = FuzzyCognitiveMap(",
    "    weights,",
    "    concepts=concepts,",
    ...options,
    ...(concepts.some(({ held }) => held)
      ? [
          `    held=[${concepts
            .filter(({ held }) => held)
            .map(({ name }) => quoted(name))
            .join(", ")}],`,
        ]
      : []),
    ")",
  ];
  if (typeof details.name === "string") lines.splice(0, 0, `# ${details.name.replace(/[^\x20-\x7e]/g, " ")}`);
  if (scenarios.length) {
    const clamps = scenarios.map(
      ({ name, clamp }) =>
        `    ${quoted(name)}: {${clamp.map(([concept, state]) => `${quoted(concept)}: ${state}`).join(", ")}},`,
    );
    const map = rule === "kosko" ? "fcm" : `with_rule(fcm, ${quoted(rule)})`;
    lines.push("clamps = {", ...clamps, "}", `print(scenarios(${map}, clamps${keep ? ", keep=fcm.drivers" : ""}))`);
  } else lines.push("print(fcm)");
  return `${lines.join("\n")}\n`;
}

/** Return a Python string literal in ASCII. */
function quoted(text) {
  return JSON.stringify(text).replace(/[\u007f-\u{10ffff}]/gu, (letter) => {
    const code = letter.codePointAt(0).toString(16);
    return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
  });
}
