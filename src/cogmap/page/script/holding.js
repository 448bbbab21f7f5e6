// Clamping of concepts: controls of hand-made maps, and the control in the panel of a concept.

import { make, setAttribute, setText } from "./dom.js";
import { fixed, number, short } from "./words.js";

/** Return functions that clamp and release a concept. */
function holder(store, i) {
  return {
    hold: (value) => store.change({ clamp: { ...store.state.clamp, [i]: value } }),
    release() {
      const { [i]: _, ...clamp } = store.state.clamp;
      store.change({ clamp });
    },
  };
}

/** Create the control of a concept of a hand-made map, which follows the map or is held at the slider position. */
export function holdingControl(page, column, c) {
  const { model, store } = page;
  const i = column.inputs?.[0] ?? c;
  const { low, high } = column;
  const { hold, release } = holder(store, i);
  let now = 0;
  const box = make("input", {
    type: "checkbox",
    id: `hold-${c}`,
    onchange: () => (box.checked ? hold(Number(now.toFixed(2))) : release()),
  });
  const range = make("input", {
    type: "range",
    min: 0,
    max: 100,
    step: 1,
    class: "slider",
    id: `value-${c}`,
    "aria-label": `State of ${column.name}`,
    oninput: () => hold(Number((low + ((high - low) * Number(range.value)) / 100).toFixed(4))),
  });
  const value = make("output", { class: "entry", for: `value-${c}` });
  const label = make(
    "label",
    { class: "control-name", for: `value-${c}`, title: model.concepts[i].name },
    short(model.concepts[i].name, 60),
  );
  const main = make("div", { class: "slider-box plain" }, range);
  const element = make(
    "li",
    { class: "control" },
    make("div", { class: "control-head" }, label, make("label", { class: "hold" }, box, "hold"), value),
    main,
    make(
      "div",
      { class: "control-foot" },
      make("span", { class: "end" }, number(low)),
      make("span", { class: "end" }, number(high)),
    ),
  );
  return {
    element,
    update({ result, state }) {
      const held = i in state.clamp;
      now = held ? state.clamp[i] : result.outputs[i];
      if (box.checked !== held) box.checked = held;
      const position = String(Math.round((100 * (now - low)) / (high - low)));
      if (range.value !== position) range.value = position;
      setText(value, number(now));
      setAttribute(main, "class", held ? "slider-box plain" : "slider-box plain unknown");
      setAttribute(range, "aria-valuetext", `${number(now)}, ${held ? "held" : "follows the map"}`);
    },
  };
}

/** Create the control in the panel of a concept: whether it is held, and at which state. */
export function holdControl(page, i) {
  const { model, store } = page;
  const { low, high } = page.rangeOfState(i);
  let now = 0;
  const { hold, release } = holder(store, i);
  const box = make("input", {
    type: "checkbox",
    onchange: () => (box.checked ? hold(Number(now.toFixed(2))) : release()),
  });
  const range = make("input", {
    type: "range",
    min: 0,
    max: 100,
    step: 1,
    class: "slider",
    "aria-label": `State at which ${model.concepts[i].name} is held`,
    oninput: () => hold(Number((low + ((high - low) * Number(range.value)) / 100).toFixed(4))),
  });
  const text = make("span", { class: "number" });
  return {
    element: make("div", { class: "hold-control" }, make("label", {}, box, "Hold it at "), range, text),
    update(view) {
      now = view.state.clamp[i] ?? view.result.states.at(-1)[i];
      box.checked = i in view.state.clamp;
      const position = String(Math.round((100 * (now - low)) / (high - low)));
      if (range.value !== position) range.value = position;
      setText(text, fixed(now, 2));
      setAttribute(
        range,
        "aria-valuetext",
        `${fixed(now, 2)}${i in view.state.clamp ? ", held" : ", follows the map"}`,
      );
    },
  };
}
