// Counterfactuals: search for the smallest change of a row that changes the prediction. Steps and constants are those
// of `explanation/_search.py`, applied to columns: changes grow one column at a time until the goal is reached, then
// shrink by trading the change of one column for a smaller one of another. The map evaluates every row that is
// considered.

import { cellOf } from "./columns.js";
import { Trial } from "./engine_trial.js";

const LENGTHS = [-8, -4, -2, -1, -0.5, 0.5, 1, 2, 4, 8]; // of a change, in deviations
const GROWN_AT_ONCE = 40; // steepest columns that are tried
const BEAM = 3; // beam width
const POWER = 0.3; // exponent of the cost that divides a gain
const GIVEN_AT_ONCE = 12; // columns that may take over a part of another change
const GIVEN = [0.1, 0.25, 0.5, 0.75, 0.9]; // parts of a reduced change
const LESS = 0.3; // factor for a share that is too large
const SMALLEST_SHARE = 0.001;
const WORTH = 0.02; // required saving, relative to the share

/**
 * Return the smallest change of a row that reaches the goal, or null if none was found.
 *
 * `to` is the index of a class, null for any class other than the current one, or `{output, value}` for a value that an
 * output should reach; `locked` lists columns that must not change. The result has `row`, `changes` (largest first,
 * each with `column`, `from`, `to` and `size` in deviations) and `size`.
 */
export function flip(model, row, { to = null, locked = [] } = {}) {
  if (model.kind === "map" || (model.kind === "regressor" && to === null)) return null;
  const trial = new Trial(model, row, to, [...locked]);
  if (trial.goal.reached) return described(trial, row, trial.start);
  const changed = grown(trial);
  return changed === null ? null : described(trial, row, shrunk(trial, changed));
}

/** Change one column at a time until the goal is reached. */
function grown(trial) {
  let beam = [trial.start], margins = trial.margins(beam);
  for (;;) {
    const candidates = beam.flatMap((row, from) => changesOf(trial, row).map((changed) => ({ from, changed })));
    const rows = candidates.map(({ changed }) => changed);
    const costs = rows.map((row) => trial.cost(row)), costsBefore = beam.map((row) => trial.cost(row));
    const newMargins = trial.margins(rows);
    const reached = trial.cheapest(rows, costs, newMargins);
    if (reached !== null) return reached;
    // A step back makes the change cheaper, so its gain is divided by the minimum cost.
    const gains = candidates.map(({ from }, r) => {
      return (newMargins[r] - margins[from]) / Math.max(costs[r] - costsBefore[from], 1e-3) ** POWER;
    });
    const gaining = [...rows.keys()].filter((r) => gains[r] > 0);
    const best = gaining.sort((a, b) => gains[b] - gains[a]).slice(0, BEAM);
    if (!best.length) return null;
    [beam, margins] = [best.map((r) => rows[r]), best.map((r) => newMargins[r])];
  }
}

/** Return rows with one more change of one column. */
function changesOf(trial, row) {
  return trial.steepest(trial.slopes(row), GROWN_AT_ONCE).flatMap((c) => {
    const axis = trial.axes[c];
    // Far outside of the training data, the map hardly reacts to a step: steps start at their nearest value.
    const near = Math.min(Math.max(row[c], axis.known[0]), axis.known[1]);
    const values = axis.allowed(LENGTHS.map((length) => axis.moved(near, length)), row[c]);
    return values.filter((value) => value !== row[c]).map((value) => replaced(row, c, value));
  });
}

/** Trade changes for smaller ones as long as the cost falls. */
function shrunk(trial, row) {
  let slopes = trial.slopes(row);
  for (let share = 0.5; share > SMALLEST_SHARE; ) {
    const most = (1 - WORTH * share) * trial.cost(row);
    const rows = exchanges(trial, row, slopes, share).filter((each) => trial.cost(each) < most);
    const cheaper = trial.cheapest(rows, rows.map((each) => trial.cost(each)), trial.margins(rows));
    if (cheaper === null) share *= LESS;
    else [row, slopes] = [cheaper, trial.slopes(cheaper)];
  }
  return row;
}

/** Return rows in which one column changes less and possibly another one more. */
function exchanges(trial, row, slopes, share) {
  const changed = trial.changed(row), rows = [];
  const others = new Set([...changed, ...trial.steepest(slopes, GIVEN_AT_ONCE)]);
  for (const i of changed) {
    const axis = trial.axes[i];
    const targets = [0, 1 - share].map((left) => axis.between(row[i], left));
    for (const back of axis.allowed(targets, row[i])) {
      const nearer = replaced(row, i, back), taken = axis.size(row[i], back);
      rows.push(nearer);
      for (const k of others) {
        if (k === i) continue;
        const values = GIVEN.map((part) => trial.axes[k].moved(row[k], Math.sign(slopes[k]) * part * taken));
        for (const value of trial.axes[k].allowed(values, row[k])) rows.push(replaced(nearer, k, value));
      }
    }
  }
  return rows;
}

/** Return a row with another value in one column. */
function replaced(row, column, value) {
  const result = row.slice();
  result[column] = value;
  return result;
}

function described(trial, original, changed) {
  const { model, axes, start } = trial;
  const row = [...original];
  const changes = trial.changed(changed).map((c) => {
    row[c] = cellOf(model.columns[c], changed[c]);
    return { column: c, from: original[c], to: row[c], size: axes[c].size(start[c], changed[c]) };
  });
  changes.sort((a, b) => b.size - a.size);
  return { row, changes, size: trial.size(changed) };
}
