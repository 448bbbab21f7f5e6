// Maps by hand: follow a start until it rests or goes round a cycle, as cogmap's `settle` and `scenario` do.

import { firstStates } from "./engine_encoding.js";
import { held } from "./engine_map.js";

const LONGEST_PERIOD = 64;
const MAX_STEPS = 1000;
const TOLERANCE = 1e-6;
const EXACT = 1e-12; // a trajectory that recurs so nearly need not be followed any longer

/**
 * Follow first states while some concepts are held.
 *
 * Returns `kind` ("fixed point", "cycle" or "neither"), `period` (null if neither), `steps` after which it was reached,
 * `states` (those it ends in), `mean` (one state per concept), `path` (all states from the start until it was reached)
 * and `moved`, the most by which the last step changed a state.
 */
export function settle(model, first, clamp = {}, maxSteps = MAX_STEPS) {
  const { first: start, follow } = held(model, first, clamp);
  const path = [start];
  let period = null;
  for (let t = 1; t <= maxSteps && period === null; t++) {
    path.push(follow(path.at(-1)));
    // A look at whole cycles takes longer than a step: one is enough in each round of the longest.
    const rests = t % 8 === 0 && distance(path.at(-1), path.at(-2)) <= EXACT;
    if (rests || t % (2 * LONGEST_PERIOD) === 0) period = periodOf(path.slice(-2 * LONGEST_PERIOD), EXACT);
  }
  period ??= periodOf(path.slice(-2 * LONGEST_PERIOD), TOLERANCE);
  const moved = distance(path.at(-1), path.at(-2));
  const states = path.slice(period === null ? -LONGEST_PERIOD : -period);
  const steps = period === null ? path.length - 1 : lastAway(path, period) + 1;
  const kind = period === null ? "neither" : period === 1 ? "fixed point" : "cycle";
  return { kind, period, steps, states, mean: meanOf(states), path: path.slice(0, steps + (period ?? 1)), moved };
}

/**
 * Hold some concepts and see where the others go from where the map rests.
 *
 * `start` is a row of states from which it finds its rest, and `keep` has the numbers of concepts that keep the state they
 * start with. Returns `before`, `after` and `change` per concept, the `baseline` and the `outcome`, both as `settle` does.
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
function periodOf(watched, tolerance) {
  for (let period = 1; period <= LONGEST_PERIOD; period++) {
    // One recurrence may be an accident of chaos; the same in each of many steps is not.
    const last = watched.slice(-(period + (period === 1 ? 1 : LONGEST_PERIOD)));
    if (last.length <= period) return null;
    const recurs = last.slice(period).every((states, t) => distance(states, last[t]) <= tolerance);
    if (recurs && (period === 1 || last.length >= 2 * period)) return period;
  }
  return null;
}

/** Return the last step that was not yet near the cycle, -1 if there is none. */
function lastAway(path, period) {
  for (let t = path.length - 1 - period; t >= 0; t--) {
    if (distance(path[t], path[t + period]) > TOLERANCE) return t;
  }
  return -1;
}

function meanOf(states) {
  return states[0].map((_, i) => states.reduce((sum, each) => sum + each[i], 0) / states.length);
}
