// Structural indices and feedback loops of a map, as `cogmap.maps.indices` and `cogmap.maps.loops` have them.

const MAX_VISITS = 1_000_000; // edges visited before the search for loops stops

/** Return the indices of a map; weights are [target * n + source]. */
export function indicesOf(weights, n) {
  const indegree = new Float64Array(n),
    outdegree = new Float64Array(n);
  let edges = 0,
    loops = false;
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < n; j++) {
      const size = Math.abs(weights[i * n + j]);
      if (!size) continue;
      indegree[i] += size;
      outdegree[j] += size;
      edges++;
      loops ||= i === j;
    }
  }
  const kinds = Array.from(indegree, (into, i) =>
    into ? (outdegree[i] ? "ordinary" : "receiver") : outdegree[i] ? "transmitter" : "isolated",
  );
  const count = (kind) => kinds.filter((one) => one === kind).length;
  const possible = loops ? n * n : n * (n - 1);
  const mean = outdegree.reduce((sum, degree) => sum + degree, 0) / (n || 1);
  const spread = outdegree.reduce((sum, degree) => sum + (degree - mean) ** 2, 0);
  return {
    indegree,
    outdegree,
    centrality: indegree.map((into, i) => into + outdegree[i]),
    kinds,
    edges,
    density: possible ? edges / possible : 0,
    complexity: count("transmitter") ? count("receiver") / count("transmitter") : null,
    hierarchy: n > 1 ? (12 * spread) / ((n - 1) * n * (n + 1)) : 0,
  };
}

/** Return the feedback loops, strongest first, with the length up to which all were found. */
export function feedbackLoops(weights, n, maxLength = 8, maxLoops = 10_000) {
  const targets = Array.from({ length: n }, (_, j) => range(n).filter((i) => weights[i * n + j] !== 0));
  const sources = Array.from({ length: n }, (_, i) => range(n).filter((j) => weights[i * n + j] !== 0));
  const back = range(n).map((root) => distancesBack(root, sources));
  const search = { visits: 0, longer: true };
  const paths = [];
  let completeTo = 0,
    complete = false;
  for (let length = 1; length <= Math.min(maxLength, n); length++) {
    for (const path of loopsOf(length, targets, back, search)) {
      if (paths.length > maxLoops) break;
      paths.push(path);
    }
    if (paths.length > maxLoops || search.visits > MAX_VISITS) break;
    [completeTo, complete] = [length, !search.longer || length === n];
    if (complete) break;
  }
  const loops = paths.slice(0, maxLoops).map((path) => ({
    path,
    gain: path.reduce((product, source, k) => product * weights[path[(k + 1) % path.length] * n + source], 1),
  }));
  return {
    loops: loops.sort((a, b) => Math.abs(b.gain) - Math.abs(a.gain)),
    completeTo,
    complete: complete || n === 0,
  };
}

function range(n) {
  return Array.from({ length: n }, (_, i) => i);
}

/** Return the number of edges from each concept back to the root, through concepts after the root only. */
function distancesBack(root, sources) {
  const distances = new Map([[root, 0]]);
  for (const concept of distances.keys())
    for (const source of sources[concept])
      if (source > root && !distances.has(source)) distances.set(source, distances.get(concept) + 1);
  return distances;
}

function* loopsOf(length, targets, back, search) {
  search.longer = false;
  for (let root = 0; root < back.length; root++) {
    const path = [root],
      choices = [0];
    while (choices.length) {
      const here = path.at(-1),
        target = targets[here][choices[choices.length - 1]++];
      if (++search.visits > MAX_VISITS) return;
      if (target === undefined) {
        choices.pop();
        path.pop();
      } else if (target === root) {
        if (path.length === length) yield [...path];
      } else if (back[root].has(target) && !path.includes(target)) {
        if (path.length + back[root].get(target) <= length) {
          path.push(target);
          choices.push(0);
        } else search.longer = true;
      }
    }
  }
}
