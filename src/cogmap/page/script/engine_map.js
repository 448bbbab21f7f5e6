// Steps of a map, for several points at once. States and net inputs lie concept by concept: state[i * points + p] is that
// of concept i at point p, so that the innermost loops run over neighbours.

const TANH = 0, LINE = 1, TWO_VALUES = 2, THREE_VALUES = 3;

// Each is middle + reach * shape(steepness * slope * (x - center)), as in cogmap.activations.
const ACTIVATIONS = {
  sigmoid: { center: 0.5, middle: 0.5, reach: 0.5, steepness: 0.5, shape: TANH },
  logistic: { center: 0, middle: 0.5, reach: 0.5, steepness: 0.5, shape: TANH },
  tanh: { center: 0, middle: 0, reach: 1, steepness: 1, shape: TANH },
  saturation: { center: 0.5, middle: 0.5, reach: 0.5, steepness: 2, shape: LINE },
  bivalent: { center: 0, middle: 0.5, reach: 0.5, steepness: 1, shape: TWO_VALUES },
  trivalent: { center: 0, middle: 0, reach: 1, steepness: 1, shape: THREE_VALUES },
};

/** Return what each concept does with its net input, as arrays with one number per concept. */
export function activationArrays(names, slopes) {
  const each = names.map((name) => ACTIVATIONS[name]);
  const of = (key) => Float64Array.from(each, (activation) => activation[key]);
  return {
    center: of("center"),
    middle: of("middle"),
    reach: of("reach"),
    factor: Float64Array.from(each, (activation, i) => Math.min(activation.steepness * slopes[i], Number.MAX_VALUE)),
    shape: Uint8Array.from(each, (activation) => activation.shape),
  };
}

/** Return the influences that are not 0, target by target: most maps have many that are. */
export function influencesOf(weights, n) {
  const starts = new Uint32Array(n + 1);
  const sources = [], values = [];
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      if (weights[i * n + j] !== 0) {
        sources.push(j);
        values.push(weights[i * n + j]);
      }
    }
    starts[i + 1] = sources.length;
  }
  return { starts, sources: Uint32Array.from(sources), values: Float64Array.from(values) };
}

/** Return what enters the concepts from `first` on. */
export function netInput(model, states, points = 1, first = 0) {
  const { n, bias } = model;
  const { starts, sources, values } = model.influences;
  const net = new Float64Array((n - first) * points);
  for (let i = first; i < n; i++) {
    const at = (i - first) * points;
    for (let k = starts[i]; k < starts[i + 1]; k++) {
      const weight = values[k], from = sources[k] * points;
      for (let p = 0; p < points; p++) net[at + p] += weight * states[from + p];
    }
    for (let p = 0; p < points; p++) net[at + p] += bias[i];
  }
  return net;
}

/** Replace the net input of the concepts from `first` on by what the shape of their activation is applied to. */
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

/** Return the states that follow. */
export function step(model, states, points = 1) {
  return activate(model, netInput(model, states, points), points);
}

/** Return the derivative of each state with respect to the net input that led to it. */
export function sensitivity(model, states) {
  const points = states.length / model.n;
  const result = new Float64Array(states.length);
  for (let i = 0; i < model.n; i++) {
    const shape = model.shape[i], reach = model.reach[i], middle = model.middle[i];
    const steepest = reach * model.factor[i];
    for (let p = i * points; p < (i + 1) * points; p++) {
      const y = (states[p] - middle) / reach;
      result[p] = shape === TANH ? steepest * (1 - y * y) : shape === LINE && Math.abs(y) < 1 ? steepest : 0;
    }
  }
  return result;
}

/** Go back through a step: from derivatives with respect to what enters concepts from `first` on to the states before. */
export function pulledBack(model, pull, points = 1, first = 0) {
  const { n } = model;
  const { starts, sources, values } = model.influences;
  const result = new Float64Array(n * points);
  for (let i = first; i < n; i++) {
    const at = (i - first) * points;
    for (let k = starts[i]; k < starts[i + 1]; k++) {
      const weight = values[k], to = sources[k] * points;
      for (let p = 0; p < points; p++) result[to + p] += weight * pull[at + p];
    }
  }
  return result;
}

/** Return a step of one point during which some concepts are held, and the first states with these in place. */
export function held(model, first, clamp) {
  const concepts = Object.entries(clamp).map(([concept, state]) => [Number(concept), state]);
  const hold = (states) => {
    for (const [concept, state] of concepts) states[concept] = state;
    return states;
  };
  return { first: hold(Float64Array.from(first)), follow: (states) => hold(step(model, states)) };
}
