// Control of a categorical or boolean value, which may also be unknown.

import { make } from "./dom.js";
import { short } from "./words.js";

export function choiceControl(page, column, c) {
  const { store } = page;
  const isBoolean = column.kind === "boolean";
  const known = isBoolean ? (column.choices ?? ["no", "yes"]).map((_, place) => place) : column.choices;
  const words = isBoolean ? (column.choices ?? ["no", "yes"]) : column.choices;
  const select = make("select", {
    id: `value-${c}`,
    class: "choice",
    onchange: () =>
      store.change({ row: store.state.row.with(c, select.value === "" ? null : known[Number(select.value)]) }),
  });
  select.append(make("option", { value: "" }, "unknown"));
  words.forEach((word, place) => select.append(make("option", { value: String(place) }, short(word, 60))));
  const low = make("span", { class: "end" }, isBoolean ? "" : `one of ${known.length}`);
  return {
    entry: "",
    main: select,
    low,
    high: make("span", { class: "end" }),
    update(value) {
      const place = known.indexOf(value);
      const shown = place < 0 ? "" : String(place);
      if (select.value !== shown) select.value = shown;
    },
  };
}
