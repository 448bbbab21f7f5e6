// Counterfactuals: the smallest change of unlocked values that changes the prediction.

import { bodyOf, button, make, setAttribute, setText } from "./dom.js";
import { flip } from "./engine.js";
import { hash } from "./fragment.js";
import { answerLine, predictedOutput } from "./answer.js";
import { cellWithUnit, className, listed, number, short } from "./words.js";

export function flipPart(page) {
  const { model, store } = page;
  const goal = model.kind === "classifier" ? classGoal(page) : valueGoal(page);
  const locked = make("p", { class: "soft" });
  const result = make("div", { class: "found", "aria-live": "polite" });
  const ask = button("Find the smallest change", search, { class: "main" });
  bodyOf("flip").append(make("div", { class: "tools" }, goal.element, ask), locked, result);
  let shownSearch = null; // hash of the search whose result is shown

  function search() {
    const view = page.view;
    if (goal.target(view) !== undefined) store.change({ asked: searchHash(view) });
  }

  function answer(view) {
    const { row, locked } = view.state;
    const changed = flip(view.model, row, { to: goal.target(view), locked });
    if (changed) return shown(page, changed);
    const hint = locked.length ? "; fewer locks may help" : "";
    return [make("p", {}, `No change was found that leads to ${goal.words(view)}${hint}.`)];
  }

  return (view) => {
    goal.update(view);
    const names = view.state.locked.map((c) => short(model.columns[c].name, 30));
    const known = names.length ? `Locked: ${listed(names)}. ` : "";
    setText(locked, `${known}Lock what cannot change with the padlock beside its value.`);
    // A result is valid only for the values, the map and the goal of its search.
    const { asked } = view.state;
    const now = asked !== null && asked === searchHash(view) ? asked : null;
    if (now === shownSearch) return;
    shownSearch = now;
    result.replaceChildren(...(now === null ? [] : answer(view)));
  };
}

function searchHash({ state: { row, goal, output, locked }, edits }) {
  return hash(JSON.stringify([row, edits, goal, output, locked]));
}

function shown(page, { row, changes }) {
  const { model, store } = page;
  const after = page.runRow(row);
  const body = make(
    "tbody",
    {},
    ...changes.map(({ column, from, to }) =>
      make(
        "tr",
        {},
        make("th", { scope: "row", title: model.columns[column].name }, short(model.columns[column].name, 50)),
        make("td", { class: "number" }, short(cellWithUnit(from, model.columns[column]), 24)),
        make("td", { class: "number" }, short(cellWithUnit(to, model.columns[column], 4), 24)),
      ),
    ),
  );
  const head = make("tr", {}, ...["change", "from", "to"].map((text) => make("th", { scope: "col" }, text)));
  return [
    make("p", {}, `Then the map says ${answerLine(page, after.outputs)}.`),
    make(
      "table",
      { class: "narrow" },
      make("caption", { class: "unseen" }, "The smallest change"),
      make("thead", {}, head),
      body,
    ),
    button("Use these values", () => store.change({ row })),
  ];
}

function classGoal({ store, outputs }) {
  const select = make(
    "select",
    { onchange: () => store.change({ goal: select.value === "" ? null : Number(select.value) }) },
    make("option", { value: "" }, "anything else"),
    ...outputs.map((output, k) => make("option", { value: k }, short(output.name, 50))),
  );
  return {
    element: make("label", { class: "inline" }, "The map should say ", select),
    target: ({ state }) => state.goal,
    words: ({ state }) => (state.goal === null ? "anything else" : className(short(outputs[state.goal].name, 50))),
    update({ state, result }) {
      const predicted = predictedOutput(result.outputs);
      [...select.options].slice(1).forEach((option, k) => setAttribute(option, "disabled", k === predicted));
      select.value = state.goal === null ? "" : String(state.goal);
    },
  };
}

function valueGoal(page) {
  const { store, outputs } = page;
  const box = make("input", {
    type: "number",
    step: "any",
    class: "entry",
    "aria-label": "The value that the map should reach",
    onchange: () => store.change({ goal: box.value === "" ? null : box.valueAsNumber }),
  });
  const name = make("span");
  const output = ({ state }) => state.output ?? 0; // the explained one
  return {
    element: make("label", { class: "inline" }, name, " should reach ", box),
    target(view) {
      page.notice(view.state.goal === null ? "First enter the value that the map should reach." : "");
      return view.state.goal === null ? undefined : { output: output(view), value: view.state.goal };
    },
    words: ({ state }) => number(state.goal),
    update(view) {
      setText(name, short(outputs[output(view)].name, 30));
      box.placeholder = number(view.result.outputs[output(view)], 4);
      if (document.activeElement !== box) box.value = view.state.goal ?? "";
    },
  };
}
