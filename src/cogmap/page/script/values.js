// The list of values: a control per column with its lock and contribution; ordering and search by name.

import { bodyOf, breakable, button, icon, make, setAttribute, setText } from "./dom.js";
import { contributionWords, explainedOutput } from "./reasons.js";
import { oneLine, short } from "./words.js";
import { choiceControl } from "./choice.js";
import { holdingControl } from "./holding.js";
import { sliderControl } from "./slider.js";

const MANY = 8; // columns
// The shackle of the open one swings aside; the closed one is filled.
const OPEN_LOCK = "M8.5 7.5V5a2.6 2.6 0 0 1 5.2 0v1.5M2.5 7.5h8v6h-8z";
const CLOSED_LOCK = "M4.5 7V5a3.5 3.5 0 0 1 7 0v2h-1.5V5a2 2 0 0 0-4 0v2zM3 7h10v6.5H3z";

export function valuesPart(page) {
  const { model, store } = page;
  const controls = model.columns.map((column, c) => control(page, column, c));
  const list = make("ul", { class: "controls" });
  const search = make("input", {
    type: "search",
    placeholder: "Find a value",
    "aria-label": "Find a value by name",
    oninput: arrange,
  });
  const order = make("select", {
    "aria-label": "Order of the values",
    onchange: () => store.change({ order: order.value }),
  });
  const orders = { importance: "by importance", table: "as in the table", name: "by name" };
  for (const [value, text] of Object.entries(orders)) order.append(make("option", { value }, text));
  const none = make("p", { class: "soft", hidden: true }, "No value has this name.");
  const long = model.columns.length > MANY;
  // On narrow screens, where the list is above the map, it starts collapsed.
  const all = button(`Show all ${model.columns.length} values`, () => list.classList.remove("few"), {
    class: "show-all",
  });
  setAttribute(list, "class", long ? "controls few" : "controls");
  bodyOf("values").append(
    ...(long ? [make("div", { class: "tools" }, search, order)] : []),
    list,
    none,
    ...(long ? [all] : []),
  );
  let arranged = null;

  function arrange() {
    const query = search.value.trim().toLowerCase();
    list.classList.remove("few");
    let matches = 0;
    controls.forEach((one, c) => {
      const match = model.columns[c].name.toLowerCase().includes(query);
      setAttribute(one.element, "hidden", !match);
      matches += match;
    });
    setAttribute(none, "hidden", matches > 0);
  }

  return (view) => {
    if (arranged !== view.state.order) {
      arranged = view.state.order;
      order.value = arranged;
      list.append(...ordered(page, arranged).map((c) => controls[c].element));
    }
    const k = model.kind === "map" ? null : explainedOutput(model, view);
    controls.forEach((one) => one.update(view, k));
  };
}

function ordered(page, order) {
  const { model } = page;
  const numbers = [...model.columns.keys()];
  if (order === "name") return numbers.sort((a, b) => model.columns[a].name.localeCompare(model.columns[b].name));
  if (order === "importance") return numbers.sort((a, b) => page.importance[b] - page.importance[a]);
  return numbers;
}

function control(page, column, c) {
  if (page.model.kind === "map") return holdingControl(page, column, c);
  const inner = (column.choices ? choiceControl : sliderControl)(page, column, c);
  const { store } = page;
  const reason = make("span", { class: "effect" });
  const lockIcon = icon(OPEN_LOCK);
  const lock = button(
    "",
    () => {
      const { locked } = store.state;
      store.change({
        locked: locked.includes(c) ? locked.filter((one) => one !== c) : [...locked, c].sort((a, b) => a - b),
      });
    },
    {
      class: "lock",
      "aria-pressed": "false",
      "aria-label": `Lock ${column.name}`,
      title: "The search for the smallest change does not change locked values",
    },
  );
  lock.append(lockIcon);
  const label = make("label", { class: "control-name", for: `value-${c}`, title: column.name }, ...breakable(labelText(column)));
  const element = make(
    "li",
    { class: "control" },
    make("div", { class: "control-head" }, label, lock, inner.entry),
    inner.main,
    make("div", { class: "control-foot" }, inner.low, reason, inner.high),
  );
  return {
    element,
    update(view, k) {
      inner.update(view.state.row[c]);
      const value = view.reasons.values[c][k];
      const words = contributionWords(page.model, value);
      setText(reason, words);
      setAttribute(
        reason,
        "class",
        `effect ${words.startsWith("+") ? "up-text" : words.startsWith("−") ? "down-text" : ""}`,
      );
      const locked = view.state.locked.includes(c);
      setAttribute(lock, "aria-pressed", String(locked));
      setAttribute(lockIcon.firstChild, "d", locked ? CLOSED_LOCK : OPEN_LOCK);
    },
  };
}

function labelText(column) {
  const name = short(column.name, 60);
  return column.unit && !column.name.includes(column.unit) ? `${name} (${oneLine(column.unit)})` : name;
}
