// Python code that reproduces the state of the page.

import { featuresOf, numbersOf } from "./engine_encoding.js";

export function toPython({ model }, { state, edits }) {
  return model.kind === "map" ? ofMap(model, state, edits) : ofModel(model, state, edits);
}

function ofMap(model, state, edits) {
  const lines = ["from cogmap.maps.scenarios import scenario", "", "# fcm is the map of this page."];
  if (edits.length) lines.push(...editing("fcm", model, edits), "fcm = fcm.replace(weights=weights)");
  lines.push(`print(scenario(fcm, ${heldStates(model, state)}))`);
  return lines.join("\n") + "\n";
}

function ofModel(model, state, edits) {
  const named = !model.columns.every((column) => /^x\d+$/.test(column.name));
  const imports = [named ? "import pandas as pd" : "import numpy as np", "from cogmap import explain"];
  if (edits.length) imports.unshift("from dataclasses import replace", "");
  const ask = model.kind === "classifier" ? "predict_proba" : "predict";
  const lines = [
    ...imports,
    "",
    ...rowLines(model, state.row, named),
    `print(model.${ask}(row))`,
    "print(explain(model, row).to_frame())",
  ];
  const held = Object.keys(state.clamp).length > 0;
  if (edits.length || held) lines.push("", "# The map as it was changed here.", "core = model.model_");
  if (edits.length)
    lines.push(
      ...editing("core.map", model, edits),
      "core = replace(core, map=core.map.replace(weights=weights))",
      "print(core.outputs(row))",
    );
  if (held) lines.push(`print(core.map.run(core.first_states(row), core.depth, clamp=${heldStates(model, state)}))`);
  return lines.join("\n") + "\n";
}

function rowLines(model, row, named) {
  if (model.prepared) {
    return [
      model.card
        ? "# table_model is the one of this page, TableModel.load(file); the values are as it prepares them."
        : "# pipeline is the one of this page; the values are as it prepares them.",
      `model = ${model.card ? "table_model.estimator" : "pipeline[-1]"}`,
      `row = pd.DataFrame([[${[...featuresOf(model, numbersOf(model, row))].map(literal).join(", ")}]], columns=model.feature_names_in_)`,
    ];
  }
  const comment = "# model is the fitted estimator of this page.";
  const all = model.columns.length === model.n_columns; // otherwise some have no influence and are not on the page
  const values = row.map(literal).join(", ");
  if (!named && all) return [comment, `row = np.array([[${values}]])`];
  if (!named) {
    const places = model.columns.map((column) => column.name.slice(1)).join(", ");
    return [comment, `row = np.full((1, ${model.n_columns}), np.nan)`, `row[0, [${places}]] = [${values}]`];
  }
  return [
    comment,
    "row = pd.DataFrame([{",
    ...model.columns.map((column, c) => `    ${quoted(column.name)}: ${literal(row[c])},`),
    all ? "}])" : "}]).reindex(columns=model.feature_names_in_)",
  ];
}

function editing(map, model, edits) {
  const index = (i) => `concepts.index(${quoted(model.concepts[i].name)})`;
  return [
    `concepts, weights = ${map}.concepts, ${map}.weights.copy()`,
    ...edits.map(([target, source, value]) => `weights[${index(target)}, ${index(source)}] = ${value}`),
  ];
}

function heldStates(model, state) {
  return `{${Object.entries(state.clamp)
    .map(([i, value]) => `${quoted(model.concepts[i].name)}: ${value}`)
    .join(", ")}}`;
}

function literal(value) {
  if (value === null || Number.isNaN(value)) return 'float("nan")';
  return typeof value === "number" ? String(value) : quoted(value);
}

/** Return a Python string literal in ASCII. */
function quoted(text) {
  return JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
