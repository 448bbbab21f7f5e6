// All that a reader has chosen, as one plain object that is never changed but replaced, and who is told of it.

/** What everything starts with. `shown` is how many arrows are drawn, null standing for as many as in the drawn map. */
export function firstState(model) {
  return {
    row: model.rows[0] ?? averageRow(model), // a value per column; null is unknown
    from: model.rows.length ? 0 : null, // the place of the row of the data that it was last started from
    clamp: {}, // states of concepts that are held, by number
    edits: [], // [target, source, weight], in the order in which they were made
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
    asked: null, // the question about it that was asked last
    other: null, // what this is compared with: {row, clamp}
    sort: null, // [column of the table, 1 or -1]
    top: 0, // the place of the first row that the table shows
    order: "importance",
    theme: null,
  };
}

/** The mean of numbers, as exact as a slider is, and the most frequent of other values. */
export function averageRow(model) {
  return model.columns.map((column) => {
    if (column.kind === "number") return Number(column.mean.toFixed(decimalsOf(column)));
    return column.kind === "boolean" && !column.choices ? Math.round(column.mean) : column.mean;
  });
}

export const POSITIONS = 200; // of a slider

/** With how many decimals a slider sets a number. */
export function decimalsOf({ low, high, whole }) {
  return whole ? 0 : Math.min(Math.max(Math.ceil(-Math.log10((high - low) / POSITIONS || 1)), 0), 12);
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

/** Add an edit after those that hold; what was undone is forgotten. Within a gesture an edit replaces the one before. */
export function withEdit(state, target, source, value, sameGesture) {
  const held = state.edits.slice(0, state.done);
  const last = held.at(-1);
  if (sameGesture && last && last[0] === target && last[1] === source) held.pop();
  return { edits: [...held, [target, source, value]], done: held.length + 1 };
}

/** The edits that hold and change something, one per weight: the last. */
export function heldEdits(state, { weights, n }) {
  const last = new Map(state.edits.slice(0, state.done).map((edit) => [`${edit[0]} ${edit[1]}`, edit]));
  return [...last.values()].filter(([target, source, value]) => weights[target * n + source] !== value);
}
