// The map as files that cogmap reads back: our JSON, Mental Modeler's .mmp and a CSV of edges. Pure text.

import { writeCsv } from "./csv.js";

const DEFAULTS = { bias: 0, slope: 1, activation: "sigmoid" };

/** Return the parameters of all concepts, and the keys of those that are not all at their default. */
function parameters(model) {
  const activation = (i) => (Array.isArray(model.activation) ? model.activation[i] : model.activation);
  const all = model.concepts.map((_, i) => ({ bias: model.bias[i], slope: model.slope[i], activation: activation(i) }));
  const keys = Object.keys(DEFAULTS).filter((key) => all.some((one) => one[key] !== DEFAULTS[key]));
  return { keys, all };
}

function edges(model) {
  const list = [];
  for (let source = 0; source < model.n; source++) {
    for (let target = 0; target < model.n; target++) {
      const weight = model.weights[target * model.n + source];
      if (weight !== 0) list.push([model.concepts[source].name, model.concepts[target].name, weight]);
    }
  }
  return list;
}

export function toJson(model, changed = "") {
  const { keys, all } = parameters(model);
  const { concepts: about = {}, edges: aboutEdges = {}, ...others } = model.details ?? {};
  const details = changed ? { ...others, changed } : others;
  const concepts = model.concepts.map(({ name }, i) => ({
    name,
    ...Object.fromEntries(keys.map((key) => [key, all[i][key]])),
    ...(model.held.includes(i) ? { held: true } : {}),
    ...(about[name] ? { details: about[name] } : {}),
  }));
  const lines = (items) => items.map((item) => `    ${JSON.stringify(item)}`).join(",\n");
  const list = edges(model).map(([source, target, weight]) => ({
    source,
    target,
    weight,
    ...(aboutEdges[source]?.[target] ? { details: aboutEdges[source][target] } : {}),
  }));
  const head = Object.keys(details).length ? `  "details": ${JSON.stringify(details)},\n` : "";
  return `{\n  "format": "cogmap map",\n  "version": 1,\n${head}  "concepts": [\n${lines(concepts)}\n  ],\n  "edges": [\n${lines(list)}\n  ]\n}\n`;
}

export function toMapCsv(model) {
  const { keys, all } = parameters(model);
  const concepts = model.concepts.map(({ name }, i) => [
    printable(name),
    null,
    null,
    ...keys.map((key) => all[i][key]),
  ]);
  const list = edges(model).map(([source, target, weight]) => [
    printable(source),
    printable(target),
    weight,
    ...keys.map(() => null),
  ]);
  return writeCsv([["from", "to", "weight", ...keys], ...concepts, ...list]);
}

/** Write a Mental Modeler file, which holds names, positions and weights only. */
export function toMmp(model, changed = "") {
  const places = new Map(model.graph.boxes.map((box) => [box.concept, [Math.round(box.x), Math.round(box.y)]]));
  const concepts = model.concepts.map(({ name }, source) => {
    const [x, y] = places.get(source) ?? [40 * (source % 20), 900 + 40 * Math.floor(source / 20)];
    const relationships = model.concepts.flatMap((target, i) => {
      const weight = model.weights[i * model.n + source];
      return weight === 0
        ? []
        : [
            element(
              "relationship",
              leaf("id", i + 1),
              leaf("name", target.name),
              leaf("notes", ""),
              leaf("confidence", 0),
              leaf("influence", weight),
            ),
          ];
    });
    return element(
      "concept",
      leaf("id", source + 1),
      leaf("name", name),
      leaf("notes", ""),
      leaf("units", ""),
      leaf("group", 0),
      leaf("x", x),
      leaf("y", y),
      leaf("preferredState", 0),
      element("relationships", ...relationships),
    );
  });
  const info = element(
    "info",
    leaf("name", "Model"),
    leaf("author", ""),
    leaf("description", changed),
    leaf("version", "1.1"),
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element("mentalmodeler", info, element("groupNames"), element("concepts", ...concepts), element("scenarios"))}`;
}

function element(name, ...inside) {
  return `<${name}>\n${inside.join("")}</${name}>\n`;
}

function leaf(name, value) {
  return `<${name}>${escaped(String(value))}</${name}>\n`;
}

/** Replace control characters and lone surrogates, which XML and CSV cannot represent. */
function printable(text) {
  return text.replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, "\ufffd").toWellFormed();
}

export function escaped(text) {
  const signs = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\r": "&#13;", "\n": "&#10;", "\t": "&#9;" };
  return printable(text).replace(/[&<>"\r\n\t]/g, (sign) => signs[sign]);
}

/** Write the row and the contributions of its values, one line per column. */
export function toRowCsv(page, view, changed = "") {
  const { model, outputs } = page;
  const lines = model.columns.map((column, c) => [column.name, view.state.row[c], ...view.reasons.values[c]]);
  return writeCsv([
    ["column", "value", ...outputs.map((output) => `contribution to ${output.name}`)],
    ...lines,
    ["every column at its typical value", null, ...view.reasons.base],
    ["the map says", null, ...view.reasons.outputs],
    ...(changed ? [[changed]] : []),
  ]);
}

/** Write the states at every step, one line per concept. */
export function toStatesCsv(page, view, changed = "") {
  const { states } = view.result;
  return writeCsv([
    ["concept", ...states.map((_, step) => `step ${step}`)],
    ...page.model.concepts.map(({ name }, i) => [name, ...states.map((state) => state[i])]),
    ...(changed ? [[changed]] : []),
  ]);
}
