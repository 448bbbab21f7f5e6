// A change that reaches its goal made smaller: columns go back to where they were, or are exchanged for others.

import { replaced } from "./engine_trial.js";

const STRETCH = 1.02; // by how much a change may grow for a column less
const WIDEST_TRADE = 1, NARROWEST_TRADE = 0.1; // in deviations
const LESS = [1, 0.5, 0.2, 0.05]; // shares of a trade, should all of it be too much
const WORTH = 0.99; // a trade has to make a change smaller by this
const SPARE = 1e-8; // of the margin, which a trade leaves
const FINE = 17; // places on the way back, looked at three times, each time between the last two
const SWAPS = [-3, -2, -1, 1, 2, 3]; // of whole numbers
const AT_ONCE = 12; // columns that are tried in the place of another
const SMALLER = 1e-9;

/** Make the change of a row that reaches the goal smaller, and keep it if it is the best so far. */
export function improve(trial, row) {
  trial.keep(row);
  for (const better of [restored, traded, restored, drawnBack, swapped]) {
    row = better(trial, row);
    trial.keep(row);
  }
}

/** Let columns be as they were, one after the other; a little more of the other changes may make up for one. */
function restored(trial, row) {
  for (let changed = trial.changed(row); changed.length > 1; changed = trial.changed(row)) {
    const more = row.slice();
    for (const c of changed) {
      const axis = trial.axes[c];
      if (isFree(axis)) more[c] = axis.clipped(axis.start + STRETCH * (row[c] - axis.start));
    }
    const most = STRETCH * trial.size(row);
    const rows = [row, more].flatMap((each) => changed.map((c) => replaced(each, c, trial.start[c])));
    const small = rows.filter((each) => trial.size(each) <= most);
    const found = trial.smallest(small, trial.judged(small));
    if (found === null) break;
    row = found;
  }
  return row;
}

/** Whether a column may have any value between two. */
function isFree(axis) {
  return !axis.whole && !axis.choices;
}

/** Trade the change of one column for that of another, as the gradient says, as long as that pays. */
function traded(trial, row) {
  let [{ margin }] = trial.judged([row]);
  for (let radius = WIDEST_TRADE; radius > NARROWEST_TRADE; ) {
    const gradient = trial.gradient(row);
    const columns = trial.free.filter((c) => isFree(trial.axes[c]));
    const trades = columns.map((c) => {
      const { start, unit, low, high } = trial.axes[c];
      const now = (row[c] - start) / unit;
      const least = Math.max((low - start) / unit, now - radius), most = Math.min((high - start) / unit, now + radius);
      return { c, now, least, most, gradient: gradient[c], then: 0 };
    });
    buyCheapest(trades, margin - SPARE);
    const rows = LESS.map((share) => {
      const result = row.slice();
      for (const { c, now, then } of trades) {
        const axis = trial.axes[c];
        const back = share === 1 && then === 0; // to the bit
        result[c] = back ? axis.start : axis.clipped(axis.start + axis.unit * (now + share * (then - now)));
      }
      return result;
    });
    const judgements = trial.judged(rows);
    const found = trial.smallest(rows, judgements);
    if (found !== null && trial.size(found) < WORTH * trial.size(row)) {
      [row, margin] = [found, judgements[rows.indexOf(found)].margin];
    } else {
      radius *= 0.3;
    }
  }
  return row;
}

/**
 * Find the changes with the smallest sum of sizes that keep the margin above 0, as if it were linear: every change first
 * goes as near to 0 as it may, and what that costs beyond what can be spared is bought back where the slope is steepest.
 */
function buyCheapest(trades, spare) {
  for (const trade of trades) trade.then = Math.min(Math.max(0, trade.least), trade.most);
  let missing = trades.reduce((sum, { gradient, now, then }) => sum + gradient * (now - then), 0) - spare;
  for (const trade of [...trades].sort((a, b) => Math.abs(b.gradient) - Math.abs(a.gradient))) {
    if (missing <= 0 || trade.gradient === 0) break;
    const steepness = Math.abs(trade.gradient);
    const room = trade.gradient > 0 ? trade.most - trade.then : trade.then - trade.least;
    const bought = Math.min(missing, steepness * room);
    trade.then += Math.sign(trade.gradient) * (bought / steepness);
    missing -= bought;
  }
}

/** Draw columns back to where they were, as far as the goal is still reached: together, but whole numbers alone. */
function drawnBack(trial, row) {
  const changed = trial.changed(row).filter((c) => !trial.axes[c].choices);
  const together = changed.filter((c) => !trial.axes[c].whole);
  const groups = [together, ...changed.filter((c) => trial.axes[c].whole).map((c) => [c])];
  for (const columns of groups.filter((group) => group.length)) {
    const end = row;
    let near = 0, far = 1;
    while (far - near > FINE ** -3) {
      const shares = Array.from({ length: FINE }, (_, k) => near + ((far - near) * k) / (FINE - 1));
      const rows = shares.map((share) => {
        const result = row.slice();
        for (const c of columns) {
          const axis = trial.axes[c];
          const value = axis.clipped(axis.start + share * (end[c] - axis.start));
          result[c] = axis.whole ? Math.round(value) : value;
        }
        return result;
      });
      const first = trial.judged(rows).findIndex(trial.reaches);
      if (first < 0) break;
      row = rows[first];
      [near, far] = [shares[Math.max(first - 1, 0)], shares[first]];
    }
  }
  return row;
}

/** Swap what cannot be traded: steps of whole numbers for fewer of another, and choices for nearer ones. */
function swapped(trial, row) {
  for (;;) {
    const tried = [];
    for (const c of trial.changed(row)) {
      if (trial.axes[c].choices) {
        tried.push(...trial.variants(row, [c], () => []));
      } else if (trial.axes[c].whole) {
        const way = trial.start[c] - row[c], far = Math.abs(way);
        const steps = new Set([...Array.from({ length: Math.min(far, 4) }, (_, k) => k + 1), far]);
        for (const back of steps) {
          const nearer = replaced(row, c, row[c] + Math.sign(way) * back);
          const others = trial.free.filter((other) => other !== c && trial.axes[other].whole);
          const steepest = trial.steepest(nearer, others, AT_ONCE);
          tried.push(...trial.variants(nearer, steepest, (other) => SWAPS.map((by) => nearer[other] + by)));
        }
      }
    }
    const most = trial.size(row) - SMALLER;
    const rows = tried.filter((each) => trial.size(each) < most);
    const found = rows.length ? trial.smallest(rows, trial.judged(rows)) : null;
    if (found === null) return row;
    row = found;
  }
}
