// Search space of counterfactuals: allowed changes, their size and cost, and a budget of evaluations of the map. As in
// `cogmap.what_if`, changes are measured in standard deviations of the training data, on the scale on which the map reads
// a column, and missing values stay missing.
// A row has one number per column here; a category is encoded as the index of its choice.

import { bent, bentDerivative, encodingDerivative, featuresOf, numbersOf, statesOfFeatures, unbent } from "./engine_encoding.js";
import { decisionDerivative, decisionValues } from "./engine_links.js";
import { backward, sensitivity, step } from "./engine_map.js";
import { lastNet, outputsOfStates } from "./engine_run.js";

const SURE = 1e-9; // smallest margin that exceeds rounding errors
const MAX_ROWS = 20000; // evaluated per search, as in Python
const MAX_WORK = 3e9; // multiplications, a few seconds: limits only maps with more than 150,000 weights in all steps
const PER_COLUMN = 0.005; // relative increase of the cost per changed column

/** One column: the range of its values, and the size of its changes. */
class Axis {
  constructor(column, start, locked) {
    this.start = start;
    this.choices = column.one_hot ? [...column.choices.keys()] : null;
    this.deviations = column.deviations; // of the features of a category
    this.tail = column.tail; // of a column that the map reads on a logarithmic scale
    this.unit = (column.tail ?? column).deviation;
    this.whole = column.whole && Number.isInteger(start);
    this.known = [column.low, column.high];
    this.low = Math.min(column.low, start);
    this.high = Math.max(column.high, start);
    if (this.whole) [this.low, this.high] = [Math.ceil(this.low), Math.floor(this.high)];
    this.free = !locked && !column.held && !Number.isNaN(start) && (this.choices ? this.choices.length > 1 : this.low < this.high);
  }

  /** Return the size of a change. For a category two one-hot features change: one from 1 to 0, one from 0 to 1. */
  size(from, to) {
    if (from === to) return 0;
    return this.choices ? 1 / this.deviations[from] + 1 / this.deviations[to] : Math.abs(this.onScale(to) - this.onScale(from)) / this.unit;
  }

  onScale(value) {
    return this.tail ? bent(value, this.tail) : value;
  }

  /** Return a value after a change by some units. */
  moved(value, units) {
    if (!this.tail) return value + units * this.unit;
    return units === 0 ? value : unbent(this.onScale(value) + units * this.unit, this.tail);
  }

  /** Return the value at a share of the way from the start. */
  between(value, share) {
    if (!this.tail) return this.start + share * (value - this.start);
    return this.moved(this.start, share * (this.onScale(value) / this.unit - this.onScale(this.start) / this.unit));
  }

  /** Return values clipped to the range, integers rounded away from `here`; for a category, all other choices. */
  allowed(values, here) {
    if (this.choices) return this.choices.filter((choice) => choice !== here);
    const rounded = (value) => (!this.whole ? value : value > here ? Math.ceil(value) : Math.floor(value));
    return values.map((value) => Math.min(Math.max(rounded(value), this.low), this.high));
  }
}

/** A goal, and the space in which to search for it. */
export class Trial {
  constructor(model, row, to, locked) {
    this.model = model;
    this.start = numbersOf(model, row);
    this.axes = model.columns.map((column, c) => new Axis(column, this.start[c], locked.includes(c)));
    this.free = this.axes.flatMap((axis, c) => (axis.free ? [c] : []));
    const work = Math.max(model.influences.into.values.length * model.depth, 1);
    this.left = Math.min(MAX_ROWS, Math.ceil(MAX_WORK / work));
    const now = this.decisions([this.start])[0];
    this.goal = model.kind === "classifier" ? classGoal(to, now) : valueGoal(model.link, to, now);
  }

  decisions(rows) {
    const states = rows.map((row) => statesOfFeatures(this.model, featuresOf(this.model, row)));
    return outputsOfStates(this.model, states, decisionValues);
  }

  /** Return the margin by which each row reaches the goal, -Infinity for rows beyond the budget. */
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

  /** Return the cost of a change: its size plus a small share per changed column. */
  cost(row) {
    return this.size(row) * (1 + PER_COLUMN * this.changed(row).length);
  }

  /** Return the cheapest row that reaches the goal, or null; ties are broken by the largest margin. */
  cheapest(rows, costs, margins) {
    const reached = [...rows.keys()].filter((r) => margins[r] > SURE);
    const least = reached.reduce((least, r) => Math.min(least, costs[r]), Infinity);
    const cheapest = reached.filter((r) => costs[r] <= least + SURE);
    return cheapest.length ? rows[cheapest.reduce((best, r) => (margins[r] > margins[best] ? r : best))] : null;
  }

  /** Return the free columns with the steepest slopes, steepest first. */
  steepest(slopes, count) {
    const steepness = (c) => Math.abs(slopes[c]);
    return [...this.free].sort((a, b) => steepness(b) - steepness(a) || 0).slice(0, count);
  }

  /** Return the derivative of the margin with respect to each column, in deviations; Infinity for categories. */
  slopes(row) {
    const { model } = this;
    const features = featuresOf(model, row);
    const states = [statesOfFeatures(model, features)];
    while (states.length < model.depth) states.push(step(model, states.at(-1)));
    const net = lastNet(model, states.at(-1));
    const counts = this.goal.counts(decisionValues(model.link, net));
    const derivative = decisionDerivative(model.link, net);
    let gradient = net.map((_, o) => {
      return derivative.reduce((sum, of, k) => sum + counts[k] * of[o], 0) * model.factor[model.firstOutput + o];
    });
    for (let t = states.length - 1; t >= 0; t--) {
      const slopes = t ? sensitivity(model, states[t]) : encodingDerivative(model, features);
      gradient = backward(model, gradient, 1, model.n - gradient.length).map((d, i) => d * slopes[i]);
    }
    return model.columns.map(({ inputs }, c) => {
      const { choices, unit, tail } = this.axes[c];
      const slope = unit * inputs.reduce((sum, i) => sum + gradient[i], 0);
      return choices ? Infinity : tail ? slope / bentDerivative(row[c], tail) : slope;
    });
  }
}

/**
 * Goal of a class, or of any class but the current one. `counts` returns the coefficients of the decision values in the
 * margin, to which `beyond` is added; `reached` tells whether the goal is already reached.
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

/** Goal of a value that the prediction has to reach from its side, in deviations of the target. */
function valueGoal(link, { output, value }, now) {
  const unit = (now[output] < value ? 1 : -1) / link.deviation[output];
  const counts = (values) => Array.from(values, (_, k) => (k === output ? unit : 0));
  return { counts, beyond: -unit * value, reached: now[output] === value };
}

function dot(one, other) {
  return one.reduce((sum, value, k) => sum + value * other[k], 0);
}
