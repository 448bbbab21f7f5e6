// The document of the board: one plain immutable object, and a pure function that applies an action to it.
//
// A document has `concepts` ({id, name, bias, slope, activation, held, details}), `edges` ({source, target, weight, details},
// with ids), `scenarios` ({name, clamp, desired, shown, about}, by id), `people` ({name, weight, map}), `same` (pairs of
// names that mean one concept), `rule`, `keep` and `details`. Ids are numbers that are never reused.

import { ACTIVATION_NAMES, sortedEdges } from "./board_drawing.js";
import { Problem, t } from "./board_text.js";

export const RULES = ["kosko", "modified", "rescaled"];
export const MOST_CONCEPTS = 500;
const LARGEST = 1e6; // of weights, biases and positions
const LONGEST_NAME = 2000;

export const EMPTY = Object.freeze({
  concepts: [],
  edges: [],
  scenarios: [],
  people: [],
  same: [],
  rule: "kosko",
  keep: false,
  details: {},
  next: 1,
});

// ---- from and to maps ------------------------------------------------------------------------------------------

/** Return the document of a map in the form of our JSON files; its first concept gets the id `first`. */
export function fromMap({ details = {}, concepts, edges }, first = 1) {
  if (concepts.length > MOST_CONCEPTS)
    throw new Problem("tooManyConcepts", { count: concepts.length, most: MOST_CONCEPTS });
  const ids = new Map(concepts.map(({ name }, i) => [name, first + i]));
  const { scenarios, people, same, rule, keep, ...rest } = details;
  const doc = {
    ...EMPTY,
    concepts: concepts.map(({ name, bias = 0, slope = 1, activation = "sigmoid", held, details: about = {} }, i) => ({
      id: first + i,
      name,
      bias,
      slope,
      activation,
      ...(held ? { held } : {}),
      details: about,
    })),
    edges: edges.map(({ source, target, weight, details: about = {} }) => ({
      source: ids.get(source),
      target: ids.get(target),
      weight,
      details: about,
    })),
    rule: RULES.includes(rule) ? rule : "kosko",
    keep: keep === "drivers",
    details: rest,
    next: first + concepts.length,
  };
  doc.scenarios = (Array.isArray(scenarios) ? scenarios : []).map((one) => scenarioFrom(one, doc.concepts));
  if (Array.isArray(people) && people.every((one) => Array.isArray(one?.map?.concepts))) doc.people = people;
  if (Array.isArray(same)) doc.same = same;
  return doc;
}

/** Read a scenario as files of Mental Modeler have it: concepts by id or name, each with an influence. */
function scenarioFrom({ name, concepts: entries, ...about }, concepts) {
  const byId = new Map(concepts.map((one, i) => [String(one.details.id ?? i + 1), one.id]));
  const byName = new Map(concepts.map((one) => [one.name, one.id]));
  const scenario = { name: String(name ?? t("scenarioName", { number: 1 })), clamp: {}, desired: {}, shown: {}, about };
  for (const entry of Array.isArray(entries) ? entries : []) {
    const id = byId.get(String(entry?.id)) ?? byName.get(entry?.name);
    if (id === undefined) continue;
    const { id: _, name: __, influence, desired, ...rest } = entry;
    scenario.shown[id] = rest;
    if (Number.isFinite(parseFloat(influence))) scenario.clamp[id] = Number(influence);
    if (Number(desired)) scenario.desired[id] = Math.sign(Number(desired));
  }
  return scenario;
}

/** Return the map of a document, with what our JSON files keep of it. */
export function toMap(doc, { positions = null, workshop = true } = {}) {
  const names = new Map(doc.concepts.map(({ id, name }) => [id, name]));
  const details = { ...doc.details };
  if (doc.scenarios.length) details.scenarios = doc.scenarios.map((one) => scenarioTo(one, doc));
  if (doc.rule !== "kosko") details.rule = doc.rule;
  if (doc.keep) details.keep = "drivers";
  if (workshop && doc.people.length) details.people = doc.people;
  if (workshop && doc.same.length) details.same = doc.same;
  const concepts = doc.concepts.map(({ id, name, bias, slope, activation, held, details: about }) => {
    const place = positions && !("x" in about) ? positions.get(id) : null;
    const all = place ? { ...about, x: Math.round(place[0]), y: Math.round(place[1]) } : about;
    return {
      name,
      bias,
      slope,
      activation,
      ...(held ? { held } : {}),
      ...(Object.keys(all).length ? { details: all } : {}),
    };
  });
  const edges = doc.edges.map(({ source, target, weight, details: about }) => ({
    source: names.get(source),
    target: names.get(target),
    weight,
    ...(Object.keys(about).length || weight === 0 ? { details: about } : {}),
  }));
  return { details, concepts, edges: sortedEdges(concepts, edges) };
}

function scenarioTo({ name, clamp, desired, shown, about }, { concepts }) {
  const entries = concepts.flatMap(({ id, name: called, details }, i) => {
    if (!(id in clamp) && !(id in desired) && !(id in shown)) return [];
    return [
      {
        ...(shown[id] ?? { selected: "True" }),
        name: called,
        id: String(details.id ?? i + 1),
        ...(id in clamp ? { influence: String(clamp[id]) } : {}),
        ...(id in desired ? { desired: String(desired[id]) } : {}),
      },
    ];
  });
  return { name, ...about, concepts: entries };
}

// ---- actions ---------------------------------------------------------------------------------------------------

/** Return the document after an action; the same object if nothing changes. Raises `Problem` if it is not allowed. */
export function apply(doc, action) {
  const handler = ACTIONS[action.do];
  if (!handler) throw new Error(`unknown action ${action.do}`);
  const changes = handler(doc, action);
  return changes && Object.keys(changes).some((key) => changes[key] !== doc[key]) ? { ...doc, ...changes } : doc;
}

const ACTIONS = {
  add(doc, { name, x, y }) {
    if (doc.concepts.length >= MOST_CONCEPTS)
      throw new Problem("tooManyConcepts", { count: doc.concepts.length + 1, most: MOST_CONCEPTS });
    const [alike] = doc.concepts;
    const concept = {
      id: doc.next,
      name: name === undefined ? freeName(doc) : checkedName(doc, name),
      bias: 0,
      slope: alike?.slope ?? 1,
      activation: alike?.activation ?? "sigmoid",
      details: Number.isFinite(x) && Number.isFinite(y) ? { x: checked(x), y: checked(y) } : {},
    };
    return { concepts: [...doc.concepts, concept], next: doc.next + 1 };
  },
  rename(doc, { id, name }) {
    const concept = conceptOf(doc, id);
    if (name.trim() === concept.name) return null;
    return withConcepts(doc, [id], () => ({ name: checkedName(doc, name, id) }));
  },
  remove(doc, { ids }) {
    const gone = new Set(ids);
    if (!doc.concepts.some(({ id }) => gone.has(id))) return null;
    const without = (by) => Object.fromEntries(Object.entries(by).filter(([id]) => !gone.has(Number(id))));
    return {
      concepts: doc.concepts.filter(({ id }) => !gone.has(id)),
      edges: doc.edges.filter(({ source, target }) => !gone.has(source) && !gone.has(target)),
      scenarios: doc.scenarios.map((one) => ({
        ...one,
        clamp: without(one.clamp),
        desired: without(one.desired),
        shown: without(one.shown),
      })),
    };
  },
  move(doc, { to }) {
    return withConcepts(doc, Object.keys(to).map(Number), ({ id, details }) => ({
      details: { ...details, x: checked(to[id][0]), y: checked(to[id][1]) },
    }));
  },
  concept(doc, { ids, details = {}, ...parameters }) {
    for (const key of Object.keys(parameters)) if (!["do", "bias"].includes(key)) throw new Error(`unknown ${key}`);
    const { bias } = parameters;
    if (bias !== undefined) checked(bias);
    return withConcepts(doc, ids, (one) => ({
      ...(bias === undefined ? {} : { bias }),
      details: merged(one.details, details),
    }));
  },
  connect(doc, { source, target, weight }) {
    conceptOf(doc, source);
    if (conceptOf(doc, target).held) throw new Problem("heldTarget", { name: conceptOf(doc, target).name });
    if (edgeOf(doc, source, target)) return ACTIONS.weight(doc, { source, target, weight });
    return { edges: [...doc.edges, { source, target, weight: checkedWeight(weight), details: {} }] };
  },
  weight(doc, { source, target, weight }) {
    const edge = edgeOf(doc, source, target);
    if (!edge) return ACTIONS.connect(doc, { source, target, weight });
    if (edge.weight === weight) return null;
    const value = checkedWeight(weight);
    return { edges: doc.edges.map((one) => (one === edge ? { ...one, weight: value } : one)) };
  },
  edge(doc, { source, target, details }) {
    const edge = edgeOf(doc, source, target);
    if (!edge) return null;
    return { edges: doc.edges.map((one) => (one === edge ? { ...one, details: merged(one.details, details) } : one)) };
  },
  disconnect(doc, { source, target }) {
    const edge = edgeOf(doc, source, target);
    return edge && { edges: doc.edges.filter((one) => one !== edge) };
  },
  reverse(doc, { source, target }) {
    const edge = edgeOf(doc, source, target);
    if (!edge || source === target) return null;
    if (edgeOf(doc, target, source)) throw new Problem("reverseTaken");
    if (conceptOf(doc, source).held) throw new Problem("heldTarget", { name: conceptOf(doc, source).name });
    return { edges: doc.edges.map((one) => (one === edge ? { ...one, source: target, target: source } : one)) };
  },
  dynamics(doc, { activation, slope, rule, keep }) {
    const changes = {};
    if (activation !== undefined && !ACTIVATION_NAMES.includes(activation))
      throw new Problem("badActivation", { name: "", activation });
    if (slope !== undefined && !(Number.isFinite(slope) && slope > 0 && slope <= LARGEST))
      throw new Problem("badSlope", { name: "", slope });
    if (activation !== undefined || slope !== undefined)
      changes.concepts = doc.concepts.map((one) => ({
        ...one,
        activation: activation ?? one.activation,
        slope: slope ?? one.slope,
      }));
    if (rule !== undefined && RULES.includes(rule)) changes.rule = rule;
    if (keep !== undefined) changes.keep = Boolean(keep);
    return changes;
  },
  about(doc, { details }) {
    return { details: merged(doc.details, details) };
  },
  addScenario(doc, { name }) {
    const number = doc.scenarios.length + 1;
    const scenario = { name: name ?? t("scenarioName", { number }), clamp: {}, desired: {}, shown: {}, about: {} };
    return { scenarios: [...doc.scenarios, scenario] };
  },
  scenario(doc, { at, name }) {
    if (!name.trim()) throw new Problem("scenarioNeedsName");
    return withScenario(doc, at, () => ({ name: name.trim().slice(0, LONGEST_NAME) }));
  },
  removeScenario(doc, { at }) {
    return doc.scenarios[at] ? { scenarios: doc.scenarios.filter((_, k) => k !== at) } : null;
  },
  clamp(doc, { at, id, state }) {
    conceptOf(doc, id);
    if (state !== null) checked(state);
    return withScenario(doc, at, ({ clamp }) => ({ clamp: merged(clamp, { [id]: state }) }));
  },
  desire(doc, { at, id, direction }) {
    conceptOf(doc, id);
    return withScenario(doc, at, ({ desired }) => ({
      desired: merged(desired, { [id]: Math.sign(direction) || null }),
    }));
  },
  addPeople(doc, { people }) {
    const taken = new Set(doc.people.map(({ name }) => name));
    const added = people.map(({ name, map }) => {
      let free = name;
      for (let k = 2; taken.has(free); k++) free = `${name} (${k})`;
      taken.add(free);
      return { name: free, weight: 1, map };
    });
    return { people: [...doc.people, ...added] };
  },
  person(doc, { at, name, weight, map }) {
    if (weight !== undefined && !(Number.isFinite(weight) && weight >= 0)) throw new Problem("badPersonWeight");
    const changes = Object.fromEntries(
      Object.entries({ name, weight, map }).filter(([, value]) => value !== undefined),
    );
    return { people: doc.people.map((one, k) => (k === at ? { ...one, ...changes } : one)) };
  },
  removePerson(doc, { at }) {
    return doc.people[at] ? { people: doc.people.filter((_, k) => k !== at) } : null;
  },
  same(doc, { same }) {
    return { same };
  },
  open(_doc, { doc: other }) {
    return other;
  },
};

// ---- parts -----------------------------------------------------------------------------------------------------

export function conceptOf(doc, id) {
  const concept = doc.concepts.find((one) => one.id === id);
  if (!concept) throw new Problem("goneConcept");
  return concept;
}

export function edgeOf(doc, source, target) {
  return doc.edges.find((one) => one.source === source && one.target === target) ?? null;
}

function withConcepts(doc, ids, change) {
  const chosen = new Set(ids);
  return { concepts: doc.concepts.map((one) => (chosen.has(one.id) ? { ...one, ...change(one) } : one)) };
}

function withScenario(doc, at, change) {
  if (!doc.scenarios[at]) throw new Problem("goneScenario");
  return { scenarios: doc.scenarios.map((one, k) => (k === at ? { ...one, ...change(one) } : one)) };
}

/** Return an object with some members replaced; null and "" remove a member. */
function merged(object, changes) {
  const result = { ...object, ...changes };
  for (const [key, value] of Object.entries(changes)) if (value === null || value === "") delete result[key];
  return result;
}

function freeName(doc) {
  const taken = new Set(doc.concepts.map(({ name }) => name));
  let number = doc.concepts.length + 1;
  while (taken.has(t("conceptName", { number }))) number++;
  return t("conceptName", { number });
}

function checkedName(doc, name, id = null) {
  const text = name.trim().slice(0, LONGEST_NAME).toWellFormed();
  if (!text) throw new Problem("noName");
  if (doc.concepts.some((one) => one.id !== id && one.name === text)) throw new Problem("sameName", { name: text });
  return text;
}

function checked(value) {
  if (!Number.isFinite(value) || Math.abs(value) > LARGEST) throw new Problem("notFinite", { cell: value });
  return value;
}

function checkedWeight(weight) {
  if (!Number.isFinite(weight) || Math.abs(weight) > LARGEST) throw new Problem("badWeight", { weight });
  return weight;
}

/** Return why a document is not valid, or null. Used on what is restored from storage. */
export function invalid(doc) {
  try {
    const ids = new Set(doc.concepts.map(({ id }) => id));
    const names = new Set(doc.concepts.map(({ name }) => name));
    const keys = new Set(doc.edges.map(({ source, target }) => `${source} ${target}`));
    if (ids.size !== doc.concepts.length || names.size !== doc.concepts.length) return "concepts";
    if (![...ids].every((id) => Number.isInteger(id) && id < doc.next)) return "ids";
    if (keys.size !== doc.edges.length) return "edges";
    for (const { name, bias, slope, activation, details } of doc.concepts) {
      if (typeof name !== "string" || !Number.isFinite(bias) || !(slope > 0) || typeof details !== "object")
        return "concept";
      if (!ACTIVATION_NAMES.includes(activation)) return "activation";
    }
    for (const { source, target, weight, details } of doc.edges)
      if (!ids.has(source) || !ids.has(target) || !Number.isFinite(weight) || typeof details !== "object")
        return "edge";
    for (const { name, clamp, desired, shown } of doc.scenarios) {
      if (typeof name !== "string") return "scenario";
      for (const by of [clamp, desired, shown])
        if (!Object.keys(by).every((id) => ids.has(Number(id)))) return "scenario";
      if (!Object.values(clamp).every(Number.isFinite)) return "clamp";
    }
    if (!doc.people.every(({ name, map }) => typeof name === "string" && Array.isArray(map.concepts))) return "people";
    return RULES.includes(doc.rule) && typeof doc.details === "object" && Array.isArray(doc.same) ? null : "settings";
  } catch {
    return "structure";
  }
}
