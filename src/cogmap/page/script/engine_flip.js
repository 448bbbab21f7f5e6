// What would flip the answer: the smallest change of a row that does. The steps and constants are those that
// `explanation/_search.py` describes, on columns: changes grow one column at a time until the goal is reached, and then
// shrink, as one column changes less and perhaps another more. Every row that counts was shown to the map.

import { Trial } from "./engine_trial.js";

const LENGTHS = [-8, -4, -2, -1, -0.5, 0.5, 1, 2, 4, 8]; // of a change, in deviations
const GROWN_AT_ONCE = 40; // columns that are tried, the steepest ones
const BEAM = 3; // changes that are followed further
const POWER = 0.3; // of the cost by which a gain is divided
const GIVEN_AT_ONCE = 12; // columns to which a part of another change is given
const GIVEN = [0.1, 0.25, 0.5, 0.75, 0.9]; // parts of what was taken
const LESS = 0.3; // by which a share is multiplied that is too large
const SMALLEST_SHARE = 0.001;
const WORTH = 0.02; // by which part of the share a change has to become cheaper

/**
 * Return the row that has changed least of those about which the map says something else, or null if none was found.
 *
 * `to` is the number of a class, null for any other than now, or `{output, value}` for a value that an output should
 * reach; `locked` has the numbers of columns that must not change. The answer has `row`, `changes` (the largest first, each
 * with `column`, `from`, `to` and `size` in deviations) and `size`.
 */
export function flip(model, row, { to = null, locked = [] } = {}) {
  if (model.kind === "map" || (model.kind === "regressor" && to === null)) return null;
  const trial = new Trial(model, row, to, [...locked]);
  if (trial.goal.reached) return described(trial, row, trial.start);
  const found = grown(trial);
  return found === null ? null : described(trial, row, shrunk(trial, found));
}

/** Change one column at a time until the goal is reached. */
function grown(trial) {
  let beam = [trial.start], margins = trial.margins(beam);
  for (;;) {
    const tried = beam.flatMap((row, from) => changesOf(trial, row).map((changed) => ({ from, changed })));
    const rows = tried.map(({ changed }) => changed);
    const costs = rows.map((row) => trial.cost(row)), costsBefore = beam.map((row) => trial.cost(row));
    const found = trial.margins(rows);
    const reached = trial.cheapest(rows, costs, found);
    if (reached !== null) return reached;
    // A step back makes the change cheaper; what it gains is for nothing.
    const gains = tried.map(({ from }, r) => {
      return (found[r] - margins[from]) / Math.max(costs[r] - costsBefore[from], 1e-3) ** POWER;
    });
    const gaining = [...rows.keys()].filter((r) => gains[r] > 0);
    const best = gaining.sort((a, b) => gains[b] - gains[a]).slice(0, BEAM);
    if (!best.length) return null;
    [beam, margins] = [best.map((r) => rows[r]), best.map((r) => found[r])];
  }
}

/** Return rows with one more step of one column. */
function changesOf(trial, row) {
  return trial.steepest(trial.slopes(row), GROWN_AT_ONCE).flatMap((c) => {
    const axis = trial.axes[c];
    const values = axis.allowed(LENGTHS.map((length) => row[c] + length * axis.unit), row[c]);
    return values.filter((value) => value !== row[c]).map((value) => replaced(row, c, value));
  });
}

/** Exchange changes for smaller ones as long as that pays. */
function shrunk(trial, row) {
  let slopes = trial.slopes(row);
  for (let share = 0.5; share > SMALLEST_SHARE; ) {
    const most = (1 - WORTH * share) * trial.cost(row);
    const rows = exchanges(trial, row, slopes, share).filter((each) => trial.cost(each) < most);
    const found = trial.cheapest(rows, rows.map((each) => trial.cost(each)), trial.margins(rows));
    if (found === null) share *= LESS;
    else [row, slopes] = [found, trial.slopes(found)];
  }
  return row;
}

/** Return rows in which one column changes less, and another perhaps more. */
function exchanges(trial, row, slopes, share) {
  const changed = trial.changed(row), rows = [];
  const others = new Set([...changed, ...trial.steepest(slopes, GIVEN_AT_ONCE)]);
  for (const i of changed) {
    const axis = trial.axes[i];
    const wanted = [0, 1 - share].map((left) => axis.start + left * (row[i] - axis.start));
    for (const back of axis.allowed(wanted, row[i])) {
      const nearer = replaced(row, i, back), taken = axis.size(row[i], back);
      rows.push(nearer);
      for (const k of others) {
        if (k === i) continue;
        const { unit } = trial.axes[k];
        const given = GIVEN.map((part) => row[k] + Math.sign(slopes[k]) * part * taken * unit);
        for (const value of trial.axes[k].allowed(given, row[k])) rows.push(replaced(nearer, k, value));
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

function described(trial, given, found) {
  const { model, axes, start } = trial;
  const row = [...given];
  const changes = trial.changed(found).map((c) => {
    row[c] = axes[c].choices ? model.columns[c].choices[found[c]] : found[c];
    return { column: c, from: given[c], to: row[c], size: axes[c].size(start[c], found[c]) };
  });
  changes.sort((a, b) => b.size - a.size);
  return { row, changes, size: trial.size(found) };
}
