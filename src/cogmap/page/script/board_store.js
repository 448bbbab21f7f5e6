// The board: the document with its history, what is selected and shown, and listeners.

import { apply, edgeOf } from "./board_doc.js";

/** Create the store of a document. Undo and redo are unlimited: documents share all parts that do not change. */
export function createBoard(doc) {
  let past = [],
    future = [],
    gesture = null;
  let ui = {
    view: "map",
    tab: "selected",
    concepts: [],
    edge: null,
    scenario: 0,
    step: null,
    shown: null,
    theme: null,
    search: "",
  };
  const listeners = [];
  const tell = () => listeners.forEach((listen) => listen());
  return {
    get doc() {
      return doc;
    },
    get ui() {
      return ui;
    },
    get canUndo() {
      return past.length > 0;
    },
    get canRedo() {
      return future.length > 0;
    },
    /** Apply an action. Consecutive actions of one gesture, such as a drag, are undone together. */
    act(action, name = null) {
      const next = apply(doc, action);
      if (next === doc) return false;
      if (name === null || name !== gesture) past.push(doc);
      gesture = name;
      future = [];
      doc = next;
      ui = valid(ui, doc);
      tell();
      return true;
    },
    endGesture() {
      gesture = null;
    },
    undo() {
      if (!past.length) return;
      future.push(doc);
      [doc, gesture] = [past.pop(), null];
      ui = valid(ui, doc);
      tell();
    },
    redo() {
      if (!future.length) return;
      past.push(doc);
      [doc, gesture] = [future.pop(), null];
      ui = valid(ui, doc);
      tell();
    },
    show(changes) {
      ui = valid({ ...ui, ...changes }, doc);
      tell();
    },
    listen(listener) {
      listeners.push(listener);
    },
  };
}

/** Drop what no longer exists from the selection. */
function valid(ui, doc) {
  const ids = new Set(doc.concepts.map(({ id }) => id));
  const concepts = ui.concepts.every((id) => ids.has(id)) ? ui.concepts : ui.concepts.filter((id) => ids.has(id));
  const edge = ui.edge && edgeOf(doc, ...ui.edge) ? ui.edge : null;
  return { ...ui, concepts, edge, scenario: Math.min(ui.scenario, Math.max(doc.scenarios.length - 1, 0)) };
}
