// The view of a state: the edited model, its predictions and their explanation. Computed once for all parts.

import { contributions, flows, run, scenario, withWeight } from "./engine.js";
import { heldEdits } from "./state.js";

/**
 * Return the sign with which arrows into a concept are drawn. The output of two classes stands for the second; if the
 * first is the answer, arrows into it are drawn for the first.
 */
export function signOf({ model, result }, target) {
  return isSingle(model, target) && result.outputs[0] > result.outputs[1] ? -1 : 1;
}

/** Return whether a concept is the one output of two classes. */
export function isSingle(model, concept) {
  return model.kind === "classifier" && model.link.kind === "log-odds" && concept >= model.firstOutput;
}

/** Return a function that computes the view of a state. */
export function viewer(page) {
  const { model } = page;
  let edited = { edits: null, model };

  /** Return the learned map with the edits of a state; the same object while these are unchanged. */
  function editedModel(state) {
    const edits = heldEdits(state, model);
    if (JSON.stringify(edits) !== JSON.stringify(edited.edits)) {
      edited = {
        edits,
        model: edits.reduce((now, [target, source, value]) => withWeight(now, target, source, value), model),
      };
    }
    return edited;
  }

  function resultOf(now, row, clamp) {
    if (model.kind !== "map") return { result: run(now, row, clamp) };
    const { before, outcome } = scenario(now, clamp);
    // A map at its fixed point has one state; duplicate it so that there is a start and an end.
    const states = outcome.path.length > 1 ? outcome.path : [outcome.path[0], outcome.path[0]];
    return { result: { states, outputs: outcome.mean, settled: outcome }, before };
  }

  return (state) => {
    const { edits, model: now } = editedModel(state);
    const { result, before } = resultOf(now, state.row, state.clamp);
    const last = result.states.length - 1;
    const step = Math.min(state.step ?? last, last);
    const near =
      state.chosen === null
        ? []
        : model.edges.filter((edge) => edge.target === state.chosen || edge.source === state.chosen);
    return {
      state,
      edits,
      model: now,
      result,
      before,
      step,
      playing: page.playing === true,
      reasons: model.kind === "map" ? null : contributions(now, state.row),
      flows: state.flow ? flows(now, state.row, Math.max(step - 1, 0), state.clamp) : null,
      neighbours: new Set(near.flatMap((edge) => [edge.target, edge.source])),
      other() {
        const { row, clamp } = state.other;
        return {
          row,
          clamp,
          ...resultOf(now, row, clamp),
          reasons: model.kind === "map" ? null : contributions(now, row),
        };
      },
    };
  };
}
