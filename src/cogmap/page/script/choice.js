// Control of a column with choices; the value may also be unknown.

import { cellOf, codeOf } from "./columns.js";
import { make } from "./dom.js";
import { short } from "./words.js";

export function choiceControl(page, column, c) {
  const { store } = page;
  const { choices } = column;
  const select = make("select", {
    id: `value-${c}`,
    class: "choice",
    onchange: () =>
      store.change({ row: store.state.row.with(c, cellOf(column, select.value === "" ? NaN : Number(select.value))) }),
  });
  select.append(make("option", { value: "" }, "unknown"));
  choices.forEach((word, place) => select.append(make("option", { value: String(place) }, short(word, 60))));
  const low = make("span", { class: "end" }, choices.length > 2 ? `one of ${choices.length}` : "");
  return {
    entry: "",
    main: select,
    low,
    high: make("span", { class: "end" }),
    update(value) {
      const code = codeOf(column, value);
      const shown = code in choices ? String(code) : "";
      if (select.value !== shown) select.value = shown;
    },
  };
}
