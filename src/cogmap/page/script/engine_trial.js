// Where a change of a row is looked for, and the map that is asked about it, as often as the budget allows. As in
// `cogmap.what_if`, a change is counted in standard deviations of the training data, summed over features, and what is
// missing stays missing. A row is a number per column here: that of a category is the number of its choice.

import { encodingDerivative, featuresOf, numbersOf, statesOfFeatures } from "./engine_encoding.js";
import { decided, decisionDerivative } from "./engine_links.js";
import { pulledBack, sensitivity, step } from "./engine_map.js";
import { lastNet, outputsOfStates } from "./engine_run.js";

const SURE = 1e-9; // a margin that no rounding takes away
const MOST_ROWS = 20000; // that the map is asked about for one answer
const MOST_WORK = 3e8; // products of a weight and a state, about half a second

export class OutOfBudget extends Error {}

/** One column: between what its value may lie, and how large a change of it is. */
class Axis {
  constructor(column, start, locked) {
    this.start = start;
    this.choices = column.kind === "category" ? column.choices.length : 0;
    this.deviations = column.deviations; // of the features of a category
    this.unit = column.deviation;
    this.whole = column.whole && Number.isInteger(start);
    this.low = Math.min(column.low, start);
    this.high = Math.max(column.high, start);
    if (this.whole) [this.low, this.high] = [Math.ceil(this.low), Math.floor(this.high)];
    this.free = !locked && !Number.isNaN(start) && (this.choices > 1 || this.low < this.high);
  }

  /** Return the size of a change. Of a category two features change: one falls from 1 to 0, another rises. */
  size(value) {
    if (value === this.start || Number.isNaN(this.start)) return 0;
    if (!this.choices) return Math.abs(value - this.start) / this.unit;
    return 1 / this.deviations[value] + 1 / this.deviations[this.start];
  }

  clipped(value) {
    return Math.min(Math.max(value, this.low), this.high);
  }

  /** Return values other than here, near those that are wanted: whole ones are rounded away from here. */
  allowed(wanted, here) {
    if (this.choices) return Array.from({ length: this.choices }, (_, k) => k).filter((k) => k !== here);
    const rounded = (value) => (!this.whole ? value : value > here ? Math.ceil(value) : Math.floor(value));
    return wanted.map((value) => this.clipped(rounded(value))).filter((value) => value !== here);
  }
}

/** A goal, a space to reach it in, and the best that was found so far. */
export class Trial {
  constructor(model, row, to, locked) {
    this.model = model;
    this.start = numbersOf(model, row);
    this.axes = model.columns.map((column, c) => new Axis(column, this.start[c], locked.includes(c)));
    this.free = this.axes.flatMap((axis, c) => (axis.free ? [c] : []));
    const work = Math.max(model.influences.into.values.length * model.depth, 1);
    this.left = Math.min(MOST_ROWS, Math.ceil(MOST_WORK / work));
    this.goal = goalOf(model, to, this.decisions([this.start])[0]);
    this.best = this.goal.reached ? this.start : null;
  }

  decisions(rows) {
    const states = rows.map((row) => statesOfFeatures(this.model, featuresOf(this.model, row)));
    return outputsOfStates(this.model, states, decided);
  }

  /** Return how far each row is beyond the goal (`margin`), and something smooth that grows with it (`progress`). */
  judged(rows) {
    this.left -= rows.length;
    if (this.left < 0) throw new OutOfBudget();
    return this.decisions(rows).map(this.goal.judge);
  }

  size(row) {
    return this.axes.reduce((sum, axis, c) => sum + axis.size(row[c]), 0);
  }

  changed(row) {
    return this.free.filter((c) => row[c] !== this.start[c]);
  }

  /** Return that row of those that reach the goal which has changed least, if any does. */
  smallest(rows, judgements) {
    let found = null, least = Infinity;
    rows.forEach((row, r) => {
      if (judgements[r].margin <= SURE) return;
      const size = this.size(row);
      if (size < least) [found, least] = [row, size];
    });
    return found;
  }

  /** Say whether a row reaches the goal. */
  reaches({ margin }) {
    return margin > SURE;
  }

  /** Keep a row that reaches the goal, if it has changed less than the best so far. */
  keep(row) {
    if (this.best === null || this.size(row) < this.size(this.best)) this.best = row;
  }

  /** Return rows like this one, each with one column at another of the values wanted, or at another choice. */
  variants(row, columns, wanted) {
    return columns.flatMap((c) => this.axes[c].allowed(wanted(c), row[c]).map((value) => replaced(row, c, value)));
  }

  /** Return some of the columns, those whose change gains most here. Categories have no slope: all of them. */
  steepest(row, columns, count) {
    if (columns.length <= count) return columns;
    const gradient = this.gradient(row);
    const gain = (c) => (this.axes[c].choices ? Infinity : Math.abs(gradient[c]));
    return [...columns].sort((a, b) => gain(b) - gain(a) || 0).slice(0, count);
  }

  /** Return the derivative of the margin with respect to each column, in deviations. */
  gradient(row) {
    const { model } = this;
    const features = featuresOf(model, row);
    const states = [statesOfFeatures(model, features)];
    while (states.length < model.depth) states.push(step(model, states.at(-1)));
    const net = lastNet(model, states.at(-1));
    const counts = this.goal.counts(decided(model.link, net));
    const derivative = decisionDerivative(model.link, net);
    let pull = net.map((_, o) => {
      return derivative.reduce((sum, of, k) => sum + counts[k] * of[o], 0) * model.factor[model.firstOutput + o];
    });
    for (let t = states.length - 1; t >= 0; t--) {
      const slopes = t ? sensitivity(model, states[t]) : encodingDerivative(model, features);
      pull = pulledBack(model, pull, 1, model.n - pull.length).map((d, i) => d * slopes[i]);
    }
    return model.columns.map(({ inputs }, c) => this.axes[c].unit * inputs.reduce((sum, i) => sum + pull[i], 0));
  }
}

/** Return a row with another value in one column. */
export function replaced(row, column, value) {
  const result = row.slice();
  result[column] = value;
  return result;
}

/**
 * Return what has to be reached: `judge` says how far a decision is beyond it, `counts` how much each number of the
 * decision counts for the margin there, and `reached` whether there is nothing to do.
 */
function goalOf(model, to, now) {
  return model.kind === "classifier" ? classGoal(to, now) : valueGoal(model.link, to, now);
}

/** A class that the map has to prefer to all others, or any class but that of now. */
function classGoal(to, now) {
  const two = now.length === 1; // log-odds of the second class
  const current = two ? (now[0] >= 0 ? 1 : 0) : now.indexOf(Math.max(...now));
  const code = to ?? current, sign = to === null ? -1 : 1;
  const best = (scores) => scores.reduce((top, score, k) => (k !== code && (top < 0 || score > scores[top]) ? k : top), -1);
  return {
    reached: to === current,
    judge: (scores) => {
      if (two) return same(sign * (code === 1 ? scores[0] : -scores[0]));
      const rest = best(scores);
      const others = scores.reduce((sum, score, k) => (k === code ? sum : sum + Math.exp(score - scores[rest])), 0);
      const ahead = scores[code] - scores[rest];
      return { margin: sign * ahead, progress: sign * (ahead - Math.log(others)) };
    },
    counts: (scores) => {
      if (two) return [sign * (code === 1 ? 1 : -1)];
      const rest = best(scores);
      return Array.from(scores, (_, k) => sign * (k === code ? 1 : k === rest ? -1 : 0));
    },
  };
}

/** A value that a prediction has to reach from its side, in deviations of the target. */
function valueGoal(link, { output, value }, now) {
  const unit = link.deviation[output], sign = now[output] < value ? 1 : -1;
  return {
    reached: now[output] === value,
    judge: (values) => same((sign * (values[output] - value)) / unit),
    counts: (values) => Array.from(values, (_, k) => (k === output ? sign / unit : 0)),
  };
}

function same(margin) {
  return { margin, progress: margin };
}
