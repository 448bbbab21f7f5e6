// Steps of a map, for several points at once. States and net inputs are stored concept by concept: state[i * points +
// p] is that of concept i at point p, so that the innermost loops access memory contiguously.

const TANH = 0, LINE = 1, TWO_VALUES = 2, THREE_VALUES = 3, KEPT = 4;

// Each is middle + reach * shape(steepness * slope * (x - center)), as in cogmap.maps.activations.
const ACTIVATIONS = {
  sigmoid: { center: 0.5, middle: 0.5, reach: 0.5, steepness: 0.5, shape: TANH },
  logistic: { center: 0, middle: 0.5, reach: 0.5, steepness: 0.5, shape: TANH },
  tanh: { center: 0, middle: 0, reach: 1, steepness: 1, shape: TANH },
  saturation: { center: 0.5, middle: 0.5, reach: 0.5, steepness: 2, shape: LINE },
  bivalent: { center: 0, middle: 0.5, reach: 0.5, steepness: 1, shape: TWO_VALUES },
  trivalent: { center: 0, middle: 0, reach: 1, steepness: 1, shape: THREE_VALUES },
};

/**
 * Return the activation parameters as arrays with one number per concept. The net input of a held concept is its state,
 * which stays as it is.
 */
export function activationArrays(names, slopes, heldConcepts) {
  const each = names.map((name) => ACTIVATIONS[name]);
  const of = (key) => Float64Array.from(each, (activation) => activation[key]);
  const arrays = {
    center: of("center"),
    middle: of("middle"),
    reach: of("reach"),
    factor: Float64Array.from(each, (activation, i) => Math.min(activation.steepness * slopes[i], Number.MAX_VALUE)),
    shape: Uint8Array.from(each, (activation) => activation.shape),
  };
  for (const i of heldConcepts) [arrays.center[i], arrays.factor[i], arrays.shape[i]] = [0, 1, KEPT];
  return arrays;
}

/** Return the nonzero weights by target, and by source for the backward pass; only itself influences a held concept. */
export function influencesOf(weights, n, heldConcepts) {
  const matrix = heldConcepts.length ? weights.slice() : weights;
  for (const i of heldConcepts) {
    matrix.fill(0, i * n, (i + 1) * n);
    matrix[i * n + i] = 1;
  }
  return { into: sparse(matrix, n, n, 1), outOf: sparse(matrix, n, 1, n) };
}

/** Return the rows of a matrix in sparse form; `down` and `across` are the strides. */
function sparse(weights, n, down, across) {
  const count = weights.reduce((sum, weight) => sum + (weight !== 0 ? 1 : 0), 0);
  const starts = new Uint32Array(n + 1), columns = new Uint32Array(count), values = new Float64Array(count);
  for (let i = 0, k = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      const weight = weights[i * down + j * across];
      if (weight === 0) continue;
      columns[k] = j;
      values[k++] = weight;
    }
    starts[i + 1] = k;
  }
  return { starts, columns, values };
}

/**
 * Return the product of the rows of a sparse matrix from `first` on and a matrix with one row per column of it, where
 * the first `offset` columns are omitted. Four points at a time stay in registers: this is the hot loop.
 */
function product({ starts, columns, values }, right, points, first = 0, offset = 0) {
  const n = starts.length - 1, four = points - (points % 4);
  const result = new Float64Array((n - first) * points);
  for (let i = first; i < n; i++) {
    const at = (i - first) * points, end = starts[i + 1];
    let start = starts[i];
    while (start < end && columns[start] < offset) start++;
    for (let p = 0; p < four; p += 4) {
      let a = 0, b = 0, c = 0, d = 0;
      for (let k = start; k < end; k++) {
        const value = values[k], from = (columns[k] - offset) * points + p;
        a += value * right[from];
        b += value * right[from + 1];
        c += value * right[from + 2];
        d += value * right[from + 3];
      }
      result[at + p] = a;
      result[at + p + 1] = b;
      result[at + p + 2] = c;
      result[at + p + 3] = d;
    }
    for (let p = four; p < points; p++) {
      let sum = 0;
      for (let k = start; k < end; k++) sum += values[k] * right[(columns[k] - offset) * points + p];
      result[at + p] = sum;
    }
  }
  return result;
}

/** Return the net input of the concepts from `first` on. */
export function netInput(model, states, points = 1, first = 0) {
  const net = product(model.influences.into, states, points, first);
  for (let i = first, p = 0; i < model.n; i++) {
    const bias = model.shape[i] === KEPT ? 0 : model.bias[i];
    for (const end = p + points; p < end; p++) net[p] += bias;
  }
  return net;
}

/** Backpropagate derivatives with respect to the net input of concepts from `first` on to the previous states. */
export function backward(model, gradient, points = 1, first = 0) {
  return product(model.influences.outOf, gradient, points, 0, first);
}

/** Replace the net input of the concepts from `first` on by its excitation, the argument of the activation shape. */
export function excite(model, net, points = 1, first = 0) {
  for (let i = first; i < model.n; i++) {
    const center = model.center[i], factor = model.factor[i], at = (i - first) * points;
    for (let p = at; p < at + points; p++) net[p] = (net[p] - center) * factor;
  }
  return net;
}

/** Replace the net input of all concepts by their states. */
export function activate(model, net, points = 1) {
  excite(model, net, points);
  for (let i = 0; i < model.n; i++) {
    const shape = model.shape[i], reach = model.reach[i], middle = model.middle[i];
    if (shape === KEPT) continue;
    for (let p = i * points; p < (i + 1) * points; p++) net[p] = middle + reach * squashed(net[p], shape);
  }
  return net;
}

function squashed(x, shape) {
  switch (shape) {
    case TANH: return Math.tanh(x);
    case LINE: return Math.min(Math.max(x, -1), 1);
    case TWO_VALUES: return x > 0 ? 1 : -1;
    default: return Math.sign(x);
  }
}

/** Return the next states. */
export function step(model, states, points = 1) {
  return activate(model, netInput(model, states, points), points);
}

/** Return the derivative of each state with respect to the net input that led to it. */
export function sensitivity(model, states) {
  const points = states.length / model.n;
  const result = new Float64Array(states.length);
  for (let i = 0; i < model.n; i++) {
    const shape = model.shape[i], reach = model.reach[i], middle = model.middle[i];
    if (shape === KEPT) {
      result.fill(1, i * points, (i + 1) * points);
      continue;
    }
    const steepest = reach * model.factor[i];
    for (let p = i * points; p < (i + 1) * points; p++) {
      const y = (states[p] - middle) / reach;
      result[p] = shape === TANH ? steepest * (1 - y * y) : shape === LINE && Math.abs(y) < 1 ? steepest : 0;
    }
  }
  return result;
}

/** Return a step function with clamped concepts, and the initial states with these in place. */
export function held(model, first, clamp) {
  const concepts = Object.entries(clamp).map(([concept, state]) => [Number(concept), state]);
  const hold = (states) => {
    for (const [concept, state] of concepts) states[concept] = state;
    return states;
  };
  return { first: hold(Float64Array.from(first)), follow: (states) => hold(step(model, states)) };
}
