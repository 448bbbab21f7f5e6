// Constants derived from the model.

/** Return facts about the model that do not depend on the state. */
export function factsOf({
  kind,
  edges,
  columns,
  concepts,
  weights,
  n,
  graph,
  answers,
  rows,
  numbers,
  link,
  outputs,
  middle,
  reach,
  forecast,
}) {
  const strength = new Map(edges.map((edge) => [edge.target * n + edge.source, edge.strength]));
  const boxed = new Set(graph.boxes.map((box) => box.concept));
  const influence = (target, source) => {
    const place = target * n + source;
    return { target, source, strength: strength.get(place) ?? null, size: Math.abs(weights[place]) };
  };
  const strongestFirst = (influences) =>
    influences
      .filter(({ size }) => size > 0)
      .sort((a, b) => (b.strength ?? -1) - (a.strength ?? -1) || b.size - a.size);
  const sent = (column) =>
    edges.filter((edge) => column.inputs.includes(edge.source)).reduce((sum, edge) => sum + edge.strength, 0);
  const logs = (value, k) => (forecast.variables[k].log ? Math.log(value) : value);
  const range = (k) => {
    if (forecast && !forecast.panel) {
      const past = forecast.variables[k].history.filter((value) => value !== null).map((value) => logs(value, k));
      return { low: Math.min(...past), high: Math.max(...past), log: forecast.variables[k].log };
    }
    if (link.kind === "labels") return { low: 0, high: 1 };
    const known = (answers ?? []).filter((answer) => answer !== null).map((answer) => answer[k]);
    return known.length > 1
      ? { low: Math.min(...known), high: Math.max(...known), seen: true }
      : {
          low: Math.max(link.mean[k] - 2 * link.deviation[k], link.low?.[k] ?? -Infinity),
          high: Math.min(link.mean[k] + 2 * link.deviation[k], link.high?.[k] ?? Infinity),
        };
  };
  return {
    rows,
    rowName: (r) => String(numbers[r] + 1),
    outputs: outputs.map((name, k) => ({ name, ...(kind === "regressor" ? range(k) : {}) })),
    importance: columns.map((column) => column.importance ?? sent(column)),
    influencesOf: (i, into) => strongestFirst(concepts.map((_, j) => (into ? influence(i, j) : influence(j, i)))),
    allInfluences: () => strongestFirst(concepts.flatMap((_, i) => concepts.map((_, j) => influence(i, j)))),
    countEdges: weights.reduce((sum, weight, place) => sum + (weight !== 0 && Math.floor(place / n) !== place % n), 0),
    usuallyShown: edges.filter((edge) => edge.drawn).length,
    mostShown: edges.length,
    rangeOfState: (i) => ({ low: middle[i] - reach[i], high: middle[i] + reach[i] }),
    shownConcepts: [...concepts.keys()].filter((i) => (kind === "map" ? boxed.has(i) : concepts[i].kind === "output")),
  };
}
