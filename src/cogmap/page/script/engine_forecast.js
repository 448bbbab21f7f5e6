// Forecasts of time series, the same recurrence as `Recurrence.run`: lagged features, direct arrows, hidden concepts.

const LARGEST_LOG = 600;

/** Compute a forecast. `held` maps names to {value, from}: the value in units, from a step on (0 is the first). */
export function runForecast(data, held = {}) {
  const memories = data.variables.map(({ past, averages }) => ({ past: [...past], averages: [...averages] }));
  const restored = data.variables.map(() => []); // modelled values, with season
  const values = data.variables.map(() => []);
  let drivers = data.drivers.map(({ last }) => last);
  for (let k = 0; k < data.steps; k++) {
    const next = data.drivers.map((driver, d) => {
      const hold = held[driver.name];
      return hold && k >= hold.from ? (hold.value - driver.center) / driver.scale : drivers[d];
    });
    const features = featuresOf(data, memories, drivers, next).map((value, j) => clip(value, data.low[j], data.high[j]));
    drivers = next;
    const hidden = data.into_hidden.map((row, i) => Math.tanh(dot(row, features) + data.hidden_bias[i]));
    let place = 0;
    data.variables.forEach((variable, v) => {
      const change = dot(data.direct[v], features) + data.bias[v] + dot(data.from_hidden[v], hidden);
      let x = clip(features[place] + change, data.low[place], data.high[place]);
      const hold = held[variable.name];
      const before = seasonBefore(variable, restored[v], k);
      let shown = null;
      if (hold && k >= hold.from) {
        shown = hold.value;
        x = (modelled(variable, hold.value) - before - variable.center) / variable.scale;
      }
      const z = variable.center + variable.scale * x + before;
      restored[v].push(z);
      values[v].push(shown ?? inUnits(variable, z));
      remember(memories[v], x, data.rates);
      place += nFeatures(variable, data.rates);
    });
  }
  const bound = (sign) =>
    data.variables.map((variable, v) =>
      restored[v].map((z, k) => {
        const hold = held[variable.name];
        return hold && k >= hold.from ? hold.value : inUnits(variable, z + sign * variable.radii[k]);
      }),
    );
  return { values, low: bound(-1), high: bound(1) };
}

const dot = (a, b) => a.reduce((sum, value, i) => sum + value * b[i], 0);
const clip = (value, low, high) => Math.min(Math.max(value, low), high);
const nFeatures = (variable, rates) => 1 + rates.length + variable.n_changes + (variable.lag ? 2 : 0);
const modelled = (variable, value) => (variable.log ? Math.log(value) : value);
const inUnits = (variable, z) => (variable.log ? Math.exp(clip(z, -LARGEST_LOG, LARGEST_LOG)) : z);

/** Return what the season adds to the modelled value of step k. */
function seasonBefore(variable, restored, k) {
  if (variable.season === "index") return variable.seasons[k % variable.seasons.length];
  if (variable.season !== "difference") return 0;
  const place = k - variable.period;
  return place < 0 ? variable.modelled[variable.modelled.length + place] : restored[place];
}

function featuresOf(data, memories, drivers, next) {
  const features = data.variables.flatMap((variable, v) => {
    const { past, averages } = memories[v];
    const changes = Array.from({ length: variable.n_changes }, (_, i) => past[i] - past[i + 1]);
    const seasons = variable.lag ? [past[variable.lag - 1], past[variable.lag]] : [];
    return [past[0], ...averages.map((average) => past[0] - average), ...changes, ...seasons];
  });
  return [...features, ...next.flatMap((value, d) => [value, value - drivers[d]])];
}

function remember(memory, x, rates) {
  memory.past.unshift(x);
  memory.past.pop();
  memory.averages = memory.averages.map((average, i) => average + rates[i] * (x - average));
}
