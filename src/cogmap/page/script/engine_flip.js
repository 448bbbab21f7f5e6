// What would flip the answer: the smallest change of a row that does. A walk takes one step of one column at a time, that
// which gains most for its size; a leap takes those changes that gain most, whatever their size. What was found is then
// made smaller. Every row that counts was shown to the map.

import { improve } from "./engine_improving.js";
import { OutOfBudget, Trial } from "./engine_trial.js";

const AT_ONCE = 40; // columns that are tried at a time, the most promising ones
const STEPS = 40; // of a walk
const LENGTHS = [-2, -0.5, 0.5, 2]; // of a step, in deviations; they grow with every ten steps
const PARTS = [0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]; // of the way to a bound: leaps
const LEAPS = 5;
const BEAM = 4; // leaps that are followed further

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
  try {
    if (trial.best === null) {
      walk(trial);
      leap(trial);
    }
  } catch (stopped) {
    if (!(stopped instanceof OutOfBudget)) throw stopped;
  }
  return trial.best === null ? null : described(trial, row);
}

function walk(trial) {
  let row = trial.start, [{ progress: come }] = trial.judged([row]);
  for (let t = 0; t < STEPS; t++) {
    const lengths = LENGTHS.map((length) => length * 2 ** Math.floor(t / 10));
    const columns = trial.steepest(row, trial.free, AT_ONCE);
    const rows = trial.variants(row, columns, (c) => lengths.map((length) => row[c] + length * trial.axes[c].unit));
    if (!rows.length) return;
    const judgements = trial.judged(rows);
    const found = trial.smallest(rows, judgements);
    if (found !== null) {
      improve(trial, found);
      return;
    }
    // A step back makes the change smaller; what it gains is for nothing.
    const size = trial.size(row);
    const gains = rows.map((each, r) => (judgements[r].progress - come) / Math.max(trial.size(each) - size, 1e-3));
    const best = gains.indexOf(Math.max(...gains));
    if (gains[best] <= 0) return;
    [row, come] = [rows[best], judgements[best].progress];
  }
}

function leap(trial) {
  let beam = [trial.start];
  for (let t = 0; t < Math.min(trial.free.length, LEAPS); t++) {
    const rows = beam.flatMap((row) => {
      const ends = (c) => [trial.axes[c].low, trial.axes[c].high];
      const wanted = (c) => ends(c).flatMap((end) => PARTS.map((part) => row[c] + part * (end - row[c])));
      return trial.variants(row, trial.steepest(row, trial.free, AT_ONCE), wanted);
    });
    if (!rows.length) return;
    const judgements = trial.judged(rows);
    const found = trial.smallest(rows, judgements);
    const worth = found !== null && (trial.best === null || trial.size(found) < 1.5 * trial.size(trial.best));
    if (worth) improve(trial, found);
    if (trial.best !== null) return; // more leaps are for what is not reached otherwise
    const order = rows.map((_, r) => r).sort((a, b) => judgements[b].progress - judgements[a].progress);
    beam = order.slice(0, BEAM).map((r) => rows[r]);
  }
}

function described(trial, given) {
  const { model, best, axes } = trial;
  const row = [...given];
  const changes = trial.changed(best).map((c) => {
    const { choices } = model.columns[c];
    row[c] = axes[c].choices ? choices[best[c]] : best[c];
    return { column: c, from: given[c], to: row[c], size: axes[c].size(best[c]) };
  });
  changes.sort((a, b) => b.size - a.size);
  return { row, changes, size: trial.size(best) };
}
