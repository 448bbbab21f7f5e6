// What is on the page, as Python that says the same.

export function toPython({ model }, { state, edits }) {
  return model.kind === "map" ? ofMap(model, state, edits) : ofModel(model, state, edits);
}

function ofMap(model, state, edits) {
  const lines = ["from cogmap.scenarios import scenario", "", "# fcm is the map of this page."];
  if (edits.length) lines.push(...editing("fcm", model, edits), "fcm = fcm.replace(weights=weights)");
  lines.push(`print(scenario(fcm, ${held(model, state)}))`);
  return lines.join("\n") + "\n";
}

function ofModel(model, state, edits) {
  const named = !model.columns.every((column, c) => column.name === `x${c}`);
  const changed = edits.length > 0 || Object.keys(state.clamp).length > 0;
  const imports = [named ? "import pandas as pd" : "import numpy as np", "from cogmap import explain"];
  if (edits.length) imports.unshift("from dataclasses import replace", "");
  const row = named
    ? ["row = pd.DataFrame([{", ...model.columns.map((column, c) => `    ${quoted(column.name)}: ${literal(state.row[c], named)},`), "}])"]
    : [`row = np.array([[${state.row.map((value) => literal(value, named)).join(", ")}]])`];
  const ask = model.kind === "classifier" ? "predict_proba" : "predict";
  const lines = [...imports, "", "# model is the fitted estimator or pipeline of this page.", ...row, `print(model.${ask}(row))`];
  const prepared = model.prepared === true;
  const features = prepared ? "features" : "row";
  if (prepared) lines.push("features, estimator = model[:-1].transform(row), model[-1]");
  const estimator = prepared ? "estimator" : "model";
  lines.push(`print(explain(${estimator}, ${features}).to_frame())`);
  if (!changed) return lines.join("\n") + "\n";
  lines.push("", "# The map as it was changed here.", `core = ${estimator}.model_`);
  if (edits.length) lines.push(...editing("core.map", model, edits), "core = replace(core, map=core.map.replace(weights=weights))", `print(core.outputs(${features}))`);
  if (Object.keys(state.clamp).length) lines.push(`print(core.map.run(core.first_states(${features}), core.depth, clamp=${held(model, state)}))`);
  return lines.join("\n") + "\n";
}

function editing(map, model, edits) {
  const index = (i) => `concepts.index(${quoted(model.concepts[i].name)})`;
  return [`concepts, weights = ${map}.concepts, ${map}.weights.copy()`, ...edits.map(([target, source, value]) => `weights[${index(target)}, ${index(source)}] = ${value}`)];
}

function held(model, state) {
  return `{${Object.entries(state.clamp).map(([i, value]) => `${quoted(model.concepts[i].name)}: ${value}`).join(", ")}}`;
}

function literal(value) {
  return value === null ? 'float("nan")' : typeof value === "number" ? String(value) : typeof value === "boolean" ? (value ? "True" : "False") : quoted(value);
}

/** A string of Python; what is no plain letter is written by its number. */
function quoted(text) {
  return JSON.stringify(text).replace(/[\u007f-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
