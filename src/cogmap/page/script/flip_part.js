// What would change the answer: the smallest change of the values that does, with locked ones left as they are.

import { bodyOf, button, make, setAttribute, setText } from "./dom.js";
import { flip } from "./engine.js";
import { answerLine, saidOutput } from "./answer.js";
import { cell, className, listed, number, short } from "./words.js";

export function flipPart(page) {
  const { model, store } = page;
  const goal = model.kind === "classifier" ? classGoal(page) : valueGoal(page);
  const locked = make("p", { class: "soft" });
  const found = make("div", { class: "found", "aria-live": "polite" });
  const ask = button("Find the smallest change", search, { class: "main" });
  bodyOf("flip").append(make("div", { class: "tools" }, goal.element, ask), locked, found);
  let asked = null;

  function search() {
    const { state } = store;
    const to = goal.wanted(page.view);
    if (to === undefined) return;
    const answer = flip(page.view.model, state.row, { to, locked: state.locked });
    asked = { row: state.row, edits: page.view.edits, goal: state.goal };
    found.replaceChildren(...(answer ? shown(page, answer) : [make("p", {}, `No change was found that leads to ${goal.words(page.view)}${state.locked.length ? "; fewer locks may help" : ""}.`)]));
  }

  return (view) => {
    goal.update(view);
    const names = view.state.locked.map((c) => short(model.columns[c].name, 30));
    setText(locked, names.length ? `Locked: ${listed(names)}.` : "Lock what cannot change with the padlock beside it.");
    // What was found for other values no longer holds.
    if (asked && (asked.row !== view.state.row || asked.edits !== view.edits || asked.goal !== view.state.goal)) {
      asked = null;
      found.replaceChildren();
    }
  };
}

function shown(page, { row, changes }) {
  const { model, store } = page;
  const after = page.runRow(row);
  const body = make("tbody", {}, ...changes.map(({ column, before, after: value }) =>
    make("tr", {}, make("th", { scope: "row", title: model.columns[column].name }, short(model.columns[column].name, 50)), make("td", { class: "number" }, cell(before)), make("td", { class: "number" }, cell(value)))));
  const head = make("tr", {}, ...["change", "from", "to"].map((text) => make("th", { scope: "col" }, text)));
  return [
    make("p", {}, `Then the map says ${answerLine(page, after.outputs)}.`),
    make("table", { class: "narrow" }, make("caption", { class: "unseen" }, "The smallest change"), make("thead", {}, head), body),
    button("Use these values", () => store.change({ row })),
  ];
}

function classGoal({ store, outputs }) {
  const select = make("select", { onchange: () => store.change({ goal: select.value === "" ? null : Number(select.value) }) }, make("option", { value: "" }, "anything else"),
    ...outputs.map((output, k) => make("option", { value: k }, short(output.name, 50))));
  return {
    element: make("label", { class: "inline" }, "The map should say ", select),
    wanted: ({ state }) => state.goal,
    words: ({ state }) => (state.goal === null ? "anything else" : className(short(outputs[state.goal].name, 50))),
    update({ state, result }) {
      const said = saidOutput(result.outputs);
      [...select.options].slice(1).forEach((option, k) => setAttribute(option, "disabled", k === said));
      select.value = state.goal === null ? "" : String(state.goal);
    },
  };
}

function valueGoal(page) {
  const { store, outputs } = page;
  const box = make("input", {
    type: "number", step: "any", class: "entry", "aria-label": "The value that the map should reach",
    onchange: () => store.change({ goal: box.value === "" ? null : box.valueAsNumber }),
  });
  return {
    element: make("label", { class: "inline" }, `${short(outputs[0].name, 30)} should reach `, box),
    wanted({ state }) {
      page.notice(state.goal === null ? "Say first which value the map should reach." : "");
      return state.goal ?? undefined;
    },
    words: ({ state }) => number(state.goal),
    update({ state, result }) {
      box.placeholder = number(result.outputs[0], 4);
      if (document.activeElement !== box) box.value = state.goal ?? "";
    },
  };
}
