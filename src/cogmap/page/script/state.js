// State of the page as one immutable object, and a store that notifies listeners of changes.

/** Return the initial state. `shown` is the number of arrows drawn, null for those of the drawn map. */
export function firstState(model) {
  return {
    row: model.rows[0] ?? averageRow(model), // one value per column; null is unknown
    from: model.rows.length ? 0 : null, // index of the data row it was last started from
    clamp: {}, // states of clamped concepts, by index
    edits: [], // [target, source, weight], oldest first
    done: 0, // number of edits in force; the others were undone
    step: null, // null for the last
    chosen: null, // selected concept
    arrow: null, // selected arrow, [target, source]
    shown: null,
    flow: false, // whether arrows show the flow of this row instead of all data
    zoom: null, // null to fit
    output: null, // explained output; null for the predicted one
    inside: model.kind === "map", // whether the concepts of the map are shown, or columns and the answer only
    locked: model.fixed ?? [], // columns that must not change in the search
    goal: null, // desired class or value
    asked: null, // hash of the last search
    other: null, // the kept side of the comparison: {row, clamp}
    sort: null, // [column of the table, 1 or -1]
    top: 0, // index of the first row in the table
    order: "importance",
    theme: null,
  };
}

/** Return the means of numbers, with the decimals of a slider, and the most frequent value of other columns. */
export function averageRow(model) {
  return model.columns.map((column) => {
    if (!column.choices) return Number(column.mean.toFixed(decimalsOf(column)));
    return column.one_hot ? column.mean : Math.round(column.mean);
  });
}

export const POSITIONS = 200; // of a slider

/** Return the number of decimals of slider values. */
export function decimalsOf({ low, high, whole }) {
  return whole ? 0 : Math.min(Math.max(Math.ceil(-Math.log10((high - low) / POSITIONS || 1)), 0), 12);
}

/** Create a store that passes the new and the previous state to each listener. */
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

/** Append an edit to those in force and drop undone ones. Within a gesture it replaces the previous edit. */
export function withEdit(state, target, source, value, sameGesture) {
  const held = state.edits.slice(0, state.done);
  const last = held.at(-1);
  if (sameGesture && last && last[0] === target && last[1] === source) held.pop();
  return { edits: [...held, [target, source, value]], done: held.length + 1 };
}

/** Return the effective edits: the last one in force per weight, if it changes the weight. */
export function heldEdits(state, { weights, n }) {
  const last = new Map(state.edits.slice(0, state.done).map((edit) => [`${edit[0]} ${edit[1]}`, edit]));
  return [...last.values()].filter(([target, source, value]) => weights[target * n + source] !== value);
}
