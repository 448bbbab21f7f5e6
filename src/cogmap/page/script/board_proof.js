// Proofs that a map has exactly one fixed point, to which every trajectory converges, as `cogmap.maps.dynamics` has them.
//
// The computed bounds are widened by more than the rounding errors, so that proofs hold in exact arithmetic.

const EPS = Number.EPSILON;
const STALLED = 1e-9;
const MAX_STEPS = 1000;
const [TANH, LINE] = [0, 1];

/** Return which criteria hold, whether one of them does (`unique`), and a box that every trajectory enters. */
export function certificate(model) {
  const M = scaledRows(model, maxDerivatives(model));
  const rounding = 1 + 4 * model.n * model.n * EPS;
  let squares = 0,
    largest = 0;
  for (let i = 0; i < model.n; i++) {
    let sum = 0;
    for (let j = 0; j < model.n; j++) {
      squares += M[i * model.n + j] ** 2;
      sum += M[i * model.n + j];
    }
    largest = Math.max(largest, sum);
  }
  const box = enclosingBox(model);
  const proofs = {
    frobenius: Math.sqrt(squares) * rounding < 1,
    "row sums": largest * rounding < 1,
    radius: radiusBelowOne(M, model.n),
    box: box.contracts,
  };
  return { unique: Object.values(proofs).some(Boolean), proofs, ...box };
}

/** Return the model of the free concepts, with the influence of clamped ones in the bias, as `with_clamp` does. */
export function withClamp(model, clamp) {
  const free = Array.from({ length: model.n }, (_, i) => i).filter((i) => !(i in clamp));
  const take = (values) => free.map((i) => values[i]);
  const weights = new Float64Array(free.length ** 2);
  free.forEach((i, a) => free.forEach((j, b) => (weights[a * free.length + b] = model.weights[i * model.n + j])));
  const bias = free.map(
    (i) =>
      model.bias[i] +
      Object.entries(clamp).reduce((sum, [j, state]) => sum + model.weights[i * model.n + Number(j)] * state, 0),
  );
  const arrays = Object.fromEntries(
    ["center", "middle", "reach", "factor", "shape"].map((key) => [key, take(model[key])]),
  );
  return { n: free.length, weights, bias, ...arrays };
}

function enclosingBox(model) {
  const { n } = model;
  const ends = [0, 1].map((side) =>
    Float64Array.from(model.middle, (middle, i) => middle + (side ? 1 : -1) * model.reach[i]),
  );
  let [low, high] = ends;
  for (let step = 0; step <= MAX_STEPS; step++) {
    const [netLow, netHigh] = netBounds(model, low, high);
    if (![...netLow, ...netHigh].every(Number.isFinite)) return { low, high, steps: step, contracts: false };
    const newLow = boundStates(model, netLow, -1).map((state, i) => clip(state, low[i], ends[1][i]));
    const newHigh = boundStates(model, netHigh, 1).map((state, i) => clip(state, ends[0][i], high[i]));
    let shrinks = false;
    for (let i = 0; i < n; i++) {
      const width = high[i] - low[i];
      if (width - (newHigh[i] - newLow[i]) > STALLED * width) shrinks = true;
    }
    const stalled = step % 8 === 7 && !shrinks;
    if (stalled || step % 8 === 0 || step === MAX_STEPS) {
      if (radiusBelowOne(scaledRows(model, derivativeBounds(model, netLow, netHigh)), n))
        return { low, high, steps: step, contracts: true };
    }
    if (stalled) return { low, high, steps: step, contracts: false };
    [low, high] = [newLow, newHigh];
  }
  return { low, high, steps: MAX_STEPS, contracts: false };
}

function clip(value, low, high) {
  return Math.min(Math.max(value, low), high);
}

function netBounds({ n, weights, bias }, low, high) {
  const netLow = new Float64Array(n),
    netHigh = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let [down, up, size] = [0, 0, 0];
    for (let j = 0; j < n; j++) {
      const weight = weights[i * n + j];
      if (weight === 0) continue;
      down += weight * (weight > 0 ? low[j] : high[j]);
      up += weight * (weight > 0 ? high[j] : low[j]);
      size += Math.abs(weight) * Math.max(Math.abs(low[j]), Math.abs(high[j]));
    }
    const rounding = 4 * (n + 8) * EPS * (size + Math.abs(bias[i]) + 1);
    netLow[i] = down + bias[i] - rounding;
    netHigh[i] = up + bias[i] + rounding;
  }
  return [netLow, netHigh];
}

function boundStates(model, net, side) {
  return Float64Array.from(net, (x, i) => {
    const excited = (x - model.center[i]) * model.factor[i];
    const state = model.middle[i] + model.reach[i] * squashed(excited, model.shape[i]);
    return state + side * 8 * EPS * (Math.abs(model.middle[i]) + model.reach[i]);
  });
}

function squashed(x, shape) {
  if (shape === TANH) return Math.tanh(x);
  if (shape === LINE) return clip(x, -1, 1);
  return shape === 2 ? (x > 0 ? 1 : -1) : Math.sign(x);
}

/** Return the largest derivative of each activation function between two net inputs, by excitation. */
function slopes(model, i, low, high) {
  const steepest = model.reach[i] * model.factor[i];
  if (model.shape[i] === TANH) return steepest * (1 - Math.tanh(clip(0, low, high)) ** 2);
  if (model.shape[i] === LINE) return steepest * (low <= 1 && high >= -1 ? 1 : 0);
  return low <= 0 && high >= 0 ? Infinity : 0;
}

function maxDerivatives(model) {
  return Float64Array.from(model.middle, (_, i) => slopes(model, i, -Infinity, Infinity) * (1 + 8 * EPS));
}

function derivativeBounds(model, netLow, netHigh) {
  const overall = maxDerivatives(model);
  return Float64Array.from(netLow, (_, i) => {
    const [low, high] = [netLow[i], netHigh[i]].map((x) => (x - model.center[i]) * model.factor[i]);
    const rounding = Number.isFinite(overall[i]) ? 8 * EPS * overall[i] : 0;
    return Math.min(slopes(model, i, low, high) + rounding, overall[i]);
  });
}

/** Return the absolute weights with their rows multiplied by factors, some of which may be infinite. */
function scaledRows({ n, weights }, factors) {
  return Float64Array.from(weights, (weight, k) =>
    weight === 0 ? 0 : factors[Math.floor(k / n)] * Math.abs(weight) * (1 + 4 * EPS),
  );
}

/** Return whether the spectral radius of a nonnegative matrix is provably below 1: M v < v for some positive v. */
function radiusBelowOne(M, n) {
  if (!M.every(Number.isFinite)) return false;
  const v = solveShifted(M, n);
  if (!v || !v.every((value) => Number.isFinite(value) && value > 0)) return false;
  for (let i = 0; i < n; i++) {
    let sum = 0;
    for (let j = 0; j < n; j++) sum += M[i * n + j] * v[j];
    if (!(sum * (1 + 4 * (n + 2) * EPS) < v[i])) return false;
  }
  return true;
}

/** Solve v = M v + 1 by elimination with partial pivoting; null if it is singular. */
function solveShifted(M, n) {
  const A = Array.from({ length: n }, (_, i) =>
    Float64Array.from({ length: n + 1 }, (_, j) => (j === n ? 1 : (i === j ? 1 : 0) - M[i * n + j])),
  );
  for (let k = 0; k < n; k++) {
    let pivot = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(A[i][k]) > Math.abs(A[pivot][k])) pivot = i;
    if (A[pivot][k] === 0) return null;
    [A[k], A[pivot]] = [A[pivot], A[k]];
    for (let i = k + 1; i < n; i++) {
      const factor = A[i][k] / A[k][k];
      if (factor === 0) continue;
      for (let j = k; j <= n; j++) A[i][j] -= factor * A[k][j];
    }
  }
  const v = new Float64Array(n);
  for (let i = n - 1; i >= 0; i--) {
    let sum = A[i][n];
    for (let j = i + 1; j < n; j++) sum -= A[i][j] * v[j];
    v[i] = sum / A[i][i];
  }
  return v;
}
