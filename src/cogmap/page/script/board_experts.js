// Maps of several people, as `cogmap.maps.experts` computes them: names that mean the same, the merged map, disagreement,
// similarity and clusters. Maps have the form of our JSON files.

import { Problem } from "./board_text.js";

const SHORTEST = 4; // letters of names that are compared by spelling
const CUTOFF = 0.8;
const APART = 0.5 + 1e-9; // mean distance above which clusters are not joined
const DETAILS = ["concepts", "edges"];

// ---- names -------------------------------------------------------------------------------------------------------

/** Return a name without case, accents, punctuation and repeated blanks. */
export function fold(name) {
  return name
    .toLowerCase()
    .replaceAll("ß", "ss")
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .join(" ");
}

function singular(text) {
  return text
    .split(" ")
    .map((word) => {
      if (word.length > 4 && word.endsWith("ies")) return `${word.slice(0, -3)}y`;
      if (word.length > 4 && /(ches|shes|sses|xes|zes)$/.test(word)) return word.slice(0, -2);
      if (word.length > 3 && word.endsWith("s") && !/(ss|us|is)$/.test(word)) return word.slice(0, -1);
      return word;
    })
    .join("");
}

/** Return 1 minus the edit distance (with swaps of neighbours) divided by the length of the longer text. */
export function likeness(one, other) {
  const [a, b] = [[...one], [...other]];
  let older = [],
    before = [],
    row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    [older, before, row] = [before, row, [i]];
    for (let j = 1; j <= b.length; j++) {
      let cost = Math.min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, older[j - 2] + 1);
      row.push(cost);
    }
  }
  return 1 - row.at(-1) / Math.max(a.length, b.length, 1);
}

function comparable(a, b) {
  if (a === b || Math.min([...a].length, [...b].length) < SHORTEST) return false;
  return (a.match(/\d+/g) ?? []).join() === (b.match(/\d+/g) ?? []).join();
}

/** Propose which names mean the same: a list of {names, why}. `lists` holds the names of each map. */
export function matchNames(lists, translations = {}, cutoff = CUTOFF) {
  const table = new Map(Object.entries(translations).map(([name, other]) => [fold(name), fold(other)]));
  const owners = new Map();
  lists.forEach((names, k) => names.forEach((name) => owners.set(name, (owners.get(name) ?? new Set()).add(k))));
  const names = [...owners.keys()];
  const plain = new Map(names.map((name) => [name, fold(name)]));
  const keys = new Map(names.map((name) => [name, singular(table.get(plain.get(name)) ?? plain.get(name))]));
  const group = new Map(names.map((name) => [name, [name]]));
  const why = new Map();
  const join = (a, b, reason) => {
    const [one, other] = [group.get(a), group.get(b)];
    if (one === other) return;
    const all = [...one, ...other].flatMap((name) => [...owners.get(name)]);
    if (new Set(all).size < all.length) return; // two concepts of the same map
    one.push(...other);
    for (const name of one) {
      group.set(name, one);
      if (!why.has(name)) why.set(name, reason);
    }
  };
  const pairs = names.flatMap((a, i) => names.slice(i + 1).map((b) => [a, b]));
  for (const [a, b] of pairs) {
    if (keys.get(a) !== keys.get(b) || !keys.get(a)) continue;
    const same = plain.get(a).replaceAll(" ", "") === plain.get(b).replaceAll(" ", "");
    join(a, b, same ? "spelling" : singular(plain.get(a)) === singular(plain.get(b)) ? "plural" : "translation");
  }
  pairs
    .filter(([a, b]) => comparable(keys.get(a), keys.get(b)))
    .map(([a, b]) => [likeness(keys.get(a), keys.get(b)), a, b])
    .filter(([share]) => share >= cutoff)
    .sort((one, other) => other[0] - one[0])
    .forEach(([, a, b]) => join(a, b, "spelling"));
  return names.flatMap((name) => {
    const sorted = [...group.get(name)].sort((a, b) => names.indexOf(a) - names.indexOf(b));
    return sorted.length > 1 && sorted[0] === name ? [{ names: sorted, why: why.get(sorted[1]) }] : [];
  });
}

/** Return a map with one name, the first, for the names of each match. */
export function unified(map, matches) {
  const names = new Map(matches.flatMap((match) => match.map((name) => [name, match[0]])));
  const called = (name) => names.get(name) ?? name;
  const concepts = map.concepts.map((one) => ({ ...one, name: called(one.name) }));
  const twice = concepts.find(({ name }, i) => concepts.findIndex((other) => other.name === name) !== i);
  if (twice) throw new Problem("mergedTwice", { name: twice.name });
  return {
    ...map,
    concepts,
    edges: map.edges.map((edge) => ({ ...edge, source: called(edge.source), target: called(edge.target) })),
  };
}

// ---- weights -----------------------------------------------------------------------------------------------------

/** Return the names of all concepts and the weights of each map over them. */
export function stacked(maps) {
  const concepts = [...new Set(maps.flatMap((map) => map.concepts.map(({ name }) => name)))];
  const place = new Map(concepts.map((name, i) => [name, i]));
  const n = concepts.length;
  const weights = maps.map((map) => {
    const W = new Float64Array(n * n);
    for (const { source, target, weight } of map.edges) W[place.get(target) * n + place.get(source)] = weight;
    return W;
  });
  return { concepts, weights, n };
}

/** Combine maps into one; each has a weight. `how` is "mean", "median" or "fuzzy". */
export function combine(maps, how, mapWeights, onlyDrawn = false) {
  const { concepts, weights, n } = stacked(maps);
  const largest = Math.max(...mapWeights);
  if (!(largest > 0)) throw new Problem("badPersonWeight");
  const shares = mapWeights.map((weight) => weight / largest);
  const aggregate = { mean, median, fuzzy: fuzzyMean }[how];
  const edges = [];
  for (let source = 0; source < n; source++) {
    for (let target = 0; target < n; target++) {
      const values = weights.map((W) => W[target * n + source]);
      if (values.every((value) => value === 0)) continue;
      const weight = aggregate(values, onlyDrawn ? shares.map((share, k) => (values[k] ? share : 0)) : shares);
      if (weight !== 0) edges.push({ source: concepts[source], target: concepts[target], weight });
    }
  }
  const merged = {};
  for (const map of [...maps].reverse())
    for (const concept of map.concepts)
      merged[concept.name] = {
        ...merged[concept.name],
        ...concept,
        details: { ...merged[concept.name]?.details, ...concept.details },
      };
  for (const [name, concept] of Object.entries(merged)) {
    const all = maps.flatMap((map, k) =>
      map.concepts.filter((one) => one.name === name).map((one) => [one, shares[k]]),
    );
    for (const key of ["slope", "activation"])
      if (new Set(all.map(([one]) => one[key])).size > 1) throw new Problem("differentDynamics", { name });
    if (!all.every(([one]) => one.held)) delete concept.held;
    concept.bias = (how === "median" ? median : mean)(
      all.map(([one]) => one.bias ?? 0),
      all.map(([, share]) => share),
    );
  }
  const {
    scenarios: _,
    people: __,
    same: ___,
    ...details
  } = Object.assign({}, ...[...maps].reverse().map((map) => map.details));
  for (const key of DETAILS) delete details[key];
  return { details, concepts: concepts.map((name) => withoutEmpty(merged[name])), edges };
}

function withoutEmpty({ details, ...concept }) {
  return Object.keys(details ?? {}).length ? { ...concept, details } : concept;
}

function mean(values, shares) {
  const total = shares.reduce((sum, share) => sum + share, 0);
  return total > 0 ? values.reduce((sum, value, k) => sum + value * (shares[k] / total), 0) : 0;
}

function median(values, shares) {
  const order = [...values.keys()].sort((a, b) => values[a] - values[b]);
  const total = shares.reduce((sum, share) => sum + share, 0);
  if (!(total > 0)) return 0;
  let below = 0,
    low = null,
    high = null;
  for (const k of order) {
    below += shares[k];
    if (low === null && below >= total / 2 - 1e-12 * total) low = values[k];
    if (high === null && below > total / 2 + 1e-12 * total) high = values[k];
  }
  return low / 2 + (high ?? low) / 2;
}

const CORNERS = [
  [0, 0.1, 0.25],
  [0, 0.25, 0.5],
  [0.25, 0.5, 0.75],
  [0.5, 0.75, 1],
  [0.75, 1, 1],
];
const TERMS = [...CORNERS.map(([a, b, c]) => [-c, -b, -a]).reverse(), [-0.01, 0, 0.01], ...CORNERS];
const UNIVERSE = Array.from({ length: 201 }, (_, k) => (k === 200 ? 1 : -1 + k * 0.01));
const MEMBERSHIP = TERMS.map(([low, peak, high]) =>
  UNIVERSE.map((x) => {
    if (x < low - 1e-12 || x > high + 1e-12) return 0;
    const rising = peak > low ? (x - low) / (peak - low) : 1,
      falling = high > peak ? (high - x) / (high - peak) : 1;
    return Math.min(Math.max(Math.min(rising, falling), 0), 1);
  }),
);

/** Aggregate weights as linguistic terms: Mamdani's implication, maximum and centroid. */
function fuzzyMean(values, shares) {
  const total = shares.reduce((sum, share) => sum + share, 0);
  if (!(total > 0)) return 0;
  const levels = TERMS.map(() => 0);
  values.forEach((value, k) => {
    const distances = TERMS.map(([, peak]) => Math.abs(value - peak));
    levels[distances.indexOf(Math.min(...distances))] += shares[k] / total;
  });
  const y = UNIVERSE.map((_, k) => Math.max(...levels.map((level, term) => Math.min(MEMBERSHIP[term][k], level))));
  let area = 0,
    moment = 0;
  for (let k = 0; k < 200; k++) {
    const step = UNIVERSE[k + 1] - UNIVERSE[k];
    area += ((y[k] + y[k + 1]) / 2) * step;
    moment += (step * (UNIVERSE[k] * (2 * y[k] + y[k + 1]) + UNIVERSE[k + 1] * (y[k] + 2 * y[k + 1]))) / 6;
  }
  return moment / area;
}

/** Return the disagreement about each arrow that somebody drew, largest first. */
export function disagreement(maps) {
  const { concepts, weights, n } = stacked(maps);
  const edges = [];
  for (let target = 0; target < n; target++) {
    for (let source = 0; source < n; source++) {
      const values = weights.map((W) => W[target * n + source]);
      const drawn = values.filter((value) => value !== 0).length;
      if (!drawn) continue;
      const average = values.reduce((sum, value) => sum + value, 0) / values.length;
      edges.push({
        source: concepts[source],
        target: concepts[target],
        values,
        drawn,
        mean: average,
        deviation: Math.sqrt(values.reduce((sum, value) => sum + (value - average) ** 2, 0) / values.length),
        low: Math.min(...values),
        high: Math.max(...values),
        opposed: values.some((value) => value > 0) && values.some((value) => value < 0),
      });
    }
  }
  return edges.sort((a, b) => b.deviation - a.deviation);
}

/** Return the cosine similarity of the weights of all pairs of maps. */
export function similarityMatrix(maps) {
  const flat = stacked(maps).weights.map((W) => {
    const size = W.reduce((most, weight) => Math.max(most, Math.abs(weight)), 0) || 1;
    const scaled = W.map((weight) => weight / size);
    const length = Math.sqrt(scaled.reduce((sum, weight) => sum + weight * weight, 0));
    return { scaled: length ? scaled.map((weight) => weight / length) : scaled, empty: length === 0 };
  });
  return flat.map((one, a) =>
    flat.map((other, b) => {
      if (a === b || (one.empty && other.empty)) return 1;
      return Math.min(
        Math.max(
          one.scaled.reduce((sum, weight, k) => sum + weight * other.scaled[k], 0),
          -1,
        ),
        1,
      );
    }),
  );
}

/** Return the credibility of each map: its similarity to the mean map, with sum 1. */
export function credibility(maps) {
  const average = combine(
    maps.map((map) => ({ ...map, concepts: map.concepts.map(({ name }) => ({ name })) })),
    "mean",
    maps.map(() => 1),
  );
  const agreement = maps.map((map) => Math.max(similarityMatrix([map, average])[0][1], 0));
  const total = agreement.reduce((sum, share) => sum + share, 0);
  return agreement.map((share) => (total ? share / total : 1 / maps.length));
}

/** Return the cluster of each map, 1, 2, ..., by average linkage of 1 - similarity. */
export function clustersOf(similarity) {
  let groups = similarity.map((_, k) => [k]);
  const distance = (one, other) =>
    one.reduce((sum, a) => sum + other.reduce((all, b) => all + 1 - similarity[a][b], 0), 0) /
    (one.length * other.length);
  for (;;) {
    let [least, pair] = [APART, null];
    for (let a = 0; a < groups.length; a++)
      for (let b = a + 1; b < groups.length; b++) {
        const apart = distance(groups[a], groups[b]);
        if (apart < least) [least, pair] = [apart, [a, b]];
      }
    if (!pair) break;
    const joined = [...groups[pair[0]], ...groups[pair[1]]];
    groups = [...groups.filter((_, k) => !pair.includes(k)), joined];
  }
  groups.sort((one, other) => Math.min(...one) - Math.min(...other));
  return similarity.map((_, k) => groups.findIndex((group) => group.includes(k)) + 1);
}
