// Where a change of a row is looked for, how large it is, and the map that is asked about it, as often as the budget
// allows. As in `cogmap.what_if`, a change is counted in standard deviations of the training data, and what is missing
// stays missing. A row is a number per column here: that of a category is the number of its choice.

import { encodingDerivative, featuresOf, numbersOf, statesOfFeatures } from "./engine_encoding.js";
import { decided, decisionDerivative } from "./engine_links.js";
import { pulledBack, sensitivity, step } from "./engine_map.js";
import { lastNet, outputsOfStates } from "./engine_run.js";

const SURE = 1e-9; // a margin that no rounding takes away
const MOST_ROWS = 20000; // that the map is asked about for one answer
const MOST_WORK = 3e8; // products of a weight and a state, about half a second
const PER_COLUMN = 0.005; // by which share each column that changes adds to the cost

/** One column: between what its value may lie, and how large a change of it is. */
class Axis {
  constructor(column, start, locked) {
    this.start = start;
    this.choices = column.kind === "category" ? [...column.choices.keys()] : null;
    this.deviations = column.deviations; // of the features of a category
    this.unit = column.deviation;
    this.whole = column.whole && Number.isInteger(start);
    this.low = Math.min(column.low, start);
    this.high = Math.max(column.high, start);
    if (this.whole) [this.low, this.high] = [Math.ceil(this.low), Math.floor(this.high)];
    this.free = !locked && !column.held && !Number.isNaN(start) && (this.choices ? this.choices.length > 1 : this.low < this.high);
  }

  /** Return the size of a change. Of a category two features change: one falls from 1 to 0, another rises. */
  size(from, to) {
    if (from === to) return 0;
    return this.choices ? 1 / this.deviations[from] + 1 / this.deviations[to] : Math.abs(to - from) / this.unit;
  }

  /** Return values within the range, whole ones rounded away from here; of a category, all its other choices. */
  allowed(wanted, here) {
    if (this.choices) return this.choices.filter((choice) => choice !== here);
    const rounded = (value) => (!this.whole ? value : value > here ? Math.ceil(value) : Math.floor(value));
    return wanted.map((value) => Math.min(Math.max(rounded(value), this.low), this.high));
  }
}

/** A goal, and a space to reach it in. */
export class Trial {
  constructor(model, row, to, locked) {
    this.model = model;
    this.start = numbersOf(model, row);
    this.axes = model.columns.map((column, c) => new Axis(column, this.start[c], locked.includes(c)));
    this.free = this.axes.flatMap((axis, c) => (axis.free ? [c] : []));
    const work = Math.max(model.influences.into.values.length * model.depth, 1);
    this.left = Math.min(MOST_ROWS, Math.ceil(MOST_WORK / work));
    const now = this.decisions([this.start])[0];
    this.goal = model.kind === "classifier" ? classGoal(to, now) : valueGoal(model.link, to, now);
  }

  decisions(rows) {
    const states = rows.map((row) => statesOfFeatures(this.model, featuresOf(this.model, row)));
    return outputsOfStates(this.model, states, decided);
  }

  /** Return how far each row is beyond the goal, -Infinity of those beyond the budget. */
  margins(rows) {
    const { counts, beyond } = this.goal;
    const within = rows.slice(0, this.left);
    this.left -= within.length;
    const margins = this.decisions(within).map((scores) => beyond + dot(counts(scores), scores));
    return rows.map((_, r) => margins[r] ?? -Infinity);
  }

  changed(row) {
    return this.free.filter((c) => row[c] !== this.start[c]);
  }

  size(row) {
    return this.free.reduce((sum, c) => sum + this.axes[c].size(this.start[c], row[c]), 0);
  }

  /** Return the cost of a change: its size, and a little more for each column that changes. */
  cost(row) {
    return this.size(row) * (1 + PER_COLUMN * this.changed(row).length);
  }

  /** Return the cheapest of those rows that reach the goal, or null; of several, that with the largest margin. */
  cheapest(rows, costs, margins) {
    const reached = [...rows.keys()].filter((r) => margins[r] > SURE);
    const least = reached.reduce((least, r) => Math.min(least, costs[r]), Infinity);
    const cheapest = reached.filter((r) => costs[r] <= least + SURE);
    return cheapest.length ? rows[cheapest.reduce((best, r) => (margins[r] > margins[best] ? r : best))] : null;
  }

  /** Return some of the free columns, those with the steepest slopes first. */
  steepest(slopes, count) {
    const steepness = (c) => Math.abs(slopes[c]);
    return [...this.free].sort((a, b) => steepness(b) - steepness(a) || 0).slice(0, count);
  }

  /** Return the derivative of the margin with respect to each column, in deviations; categories always come first. */
  slopes(row) {
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
    return model.columns.map(({ inputs }, c) => {
      const { choices, unit } = this.axes[c];
      return choices ? Infinity : unit * inputs.reduce((sum, i) => sum + pull[i], 0);
    });
  }
}

/**
 * A class that the map has to prefer to all others, or any class but that of now. Of a goal, `counts` says how much each
 * number of a decision counts for its margin, to which `beyond` is added, and `reached` whether there is nothing to do.
 */
function classGoal(to, now) {
  const two = now.length === 1; // log-odds of the second class
  const current = two ? (now[0] >= 0 ? 1 : 0) : now.indexOf(Math.max(...now));
  const code = to ?? current, sign = to === null ? -1 : 1;
  const counts = (scores) => {
    if (two) return [sign * (code === 1 ? 1 : -1)];
    const others = scores.map((score, k) => (k === code ? -Infinity : score));
    const nearest = others.indexOf(Math.max(...others));
    return Array.from(scores, (_, k) => sign * (k === code ? 1 : k === nearest ? -1 : 0));
  };
  return { counts, beyond: 0, reached: to === current };
}

/** A value that a prediction has to reach from its side, in deviations of the target. */
function valueGoal(link, { output, value }, now) {
  const unit = (now[output] < value ? 1 : -1) / link.deviation[output];
  const counts = (values) => Array.from(values, (_, k) => (k === output ? unit : 0));
  return { counts, beyond: -unit * value, reached: now[output] === value };
}

function dot(one, other) {
  return one.reduce((sum, value, k) => sum + value * other[k], 0);
}
