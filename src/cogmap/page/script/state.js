// All that a reader has chosen, as one plain object that is never changed but replaced, and who is told of it.

/** What everything starts with. `shown` is how many arrows are drawn, null standing for as many as in the drawn map. */
export function firstState(model) {
  return {
    row: averageRow(model), // a value per column; null is unknown
    from: null, // the number of the row of the data that it was last started from
    clamp: {}, // states of concepts that are held, by number
    edits: [], // [target, source, weight], in the order in which they were made; source -1 is a bias
    done: 0, // how many of them hold; the others were undone
    step: null, // null is the last
    chosen: null, // a concept
    arrow: null, // [target, source]
    shown: null,
    flow: false, // whether arrows show this row instead of the data as a whole
    zoom: null, // null fits
    output: null, // the output that is explained; null is the one that the map says
    locked: [], // columns that must not change
    goal: null, // a class, or a value to reach
    other: null, // what this is compared with: {row, clamp}
    sort: null, // [column of the table, 1 or -1]
    order: "importance",
    theme: null,
  };
}

/** The mean of numbers, the most frequent of other values. */
export function averageRow(model) {
  return model.columns.map((column) => {
    if (column.kind === "number") return column.whole ? Math.round(column.mean) : column.mean;
    return column.mean ?? column.choices?.[0] ?? null;
  });
}

/** Keep a state, and tell each listener of the new one and the one before. */
export function createStore(state) {
  const listeners = [];
  return {
    get state() {
      return state;
    },
    change(changes) {
      const before = state;
      state = { ...state, ...changes };
      for (const listener of listeners) listener(state, before);
    },
    listen(listener) {
      listeners.push(listener);
    },
  };
}

/** Add an edit after those that hold; what was undone is forgotten. Within one gesture an edit replaces the one before. */
export function withEdit(state, target, source, value, sameGesture) {
  const held = state.edits.slice(0, state.done);
  const last = held.at(-1);
  if (sameGesture && last && last[0] === target && last[1] === source) held.pop();
  return { edits: [...held, [target, source, value]], done: held.length + 1 };
}

/** The edits that hold, one per weight: the last. */
export function heldEdits(state) {
  const last = new Map(state.edits.slice(0, state.done).map((edit) => [`${edit[0]} ${edit[1]}`, edit]));
  return [...last.values()];
}
