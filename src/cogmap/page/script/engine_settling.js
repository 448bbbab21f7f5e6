// Hand-made maps: iterate until a fixed point or a cycle, as `settle` and `scenario` in cogmap do.

import { firstStates } from "./engine_encoding.js";
import { held } from "./engine_map.js";

const LONGEST_PERIOD = 64;
const MAX_STEPS = 1000;
const TOLERANCE = 1e-6;
const EXACT = 1e-12; // distance at which a recurrence ends the iteration

/**
 * Iterate from initial states with some concepts clamped.
 *
 * Returns `kind` ("fixed point", "cycle" or "neither"), `period` (null if neither), `steps` until it was reached,
 * `states` (of the attractor), `mean` (one state per concept), `path` (all states until it was reached) and `moved`,
 * the largest change of a state in the last step.
 */
export function settle(model, first, clamp = {}, maxSteps = MAX_STEPS) {
  const { first: start, follow } = held(model, first, clamp);
  const path = [start];
  let period = null;
  for (let t = 1; t <= maxSteps && period === null; t++) {
    path.push(follow(path.at(-1)));
    // A search for cycles takes longer than a step: one search per two longest periods is enough.
    const isFixed = t % 8 === 0 && distance(path.at(-1), path.at(-2)) <= EXACT;
    if (isFixed || t % (2 * LONGEST_PERIOD) === 0) period = periodOf(path.slice(-2 * LONGEST_PERIOD), EXACT);
  }
  period ??= periodOf(path.slice(-2 * LONGEST_PERIOD), TOLERANCE);
  const moved = distance(path.at(-1), path.at(-2));
  const states = path.slice(period === null ? -LONGEST_PERIOD : -period);
  const steps = period === null ? path.length - 1 : lastAway(path, period) + 1;
  const kind = period === null ? "neither" : period === 1 ? "fixed point" : "cycle";
  return { kind, period, steps, states, mean: meanOf(states), path: path.slice(0, steps + (period ?? 1)), moved };
}

/**
 * Clamp some concepts and follow the others from the steady state.
 *
 * `start` holds the initial states from which the steady state is computed, and `keep` lists the concepts that keep
 * their initial state. Returns `before`, `after` and `change` per concept, and `baseline` and `outcome`, both as from
 * `settle`.
 */
export function scenario(model, clamp, { start = [], keep = [] } = {}) {
  const first = firstStates(model, start);
  const baseline = settle(model, first, Object.fromEntries(keep.map((i) => [i, first[i]])));
  const from = baseline.states.at(-1);
  const outcome = settle(model, from, { ...Object.fromEntries(keep.map((i) => [i, from[i]])), ...clamp });
  const change = outcome.mean.map((state, i) => state - baseline.mean[i]);
  return { before: baseline.mean, after: outcome.mean, change, baseline, outcome };
}

function distance(one, other) {
  let most = 0;
  for (let i = 0; i < one.length; i++) most = Math.max(most, Math.abs(one[i] - other[i]));
  return most;
}

/** Return the smallest number of steps after which the last states recur, or null. */
function periodOf(recent, tolerance) {
  for (let period = 1; period <= LONGEST_PERIOD; period++) {
    // A single recurrence may be a coincidence of chaotic states; a recurrence in each of many steps is not.
    const last = recent.slice(-(period + (period === 1 ? 1 : LONGEST_PERIOD)));
    if (last.length <= period) return null;
    const recurs = last.slice(period).every((states, t) => distance(states, last[t]) <= tolerance);
    if (recurs && (period === 1 || last.length >= 2 * period)) return period;
  }
  return null;
}

/** Return the last step before the trajectory is near the cycle, -1 if there is none. */
function lastAway(path, period) {
  for (let t = path.length - 1 - period; t >= 0; t--) {
    if (distance(path[t], path[t + period]) > TOLERANCE) return t;
  }
  return -1;
}

function meanOf(states) {
  return states[0].map((_, i) => states.reduce((sum, each) => sum + each[i], 0) / states.length);
}
