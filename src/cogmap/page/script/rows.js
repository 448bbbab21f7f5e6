// Sortable table of data rows to select from.

import { bodyOf, breakable, button, make, setAttribute, setText } from "./dom.js";
import { outputsOf } from "./engine.js";
import { predictedOutput } from "./answer.js";
import { amount, cell, number, percent, short } from "./words.js";

const PAGE_SIZE = 12;
const MAX_COLUMNS = 6; // columns of values: with more, the table is wider than the part on a desk
const MAX_UNUSUAL = 12; // rows named

export function rowsPart(page) {
  const { model, store, rows } = page;
  // The most important columns, in the order of the table.
  const columns = [...model.columns.keys()]
    .sort((a, b) => page.importance[b] - page.importance[a])
    .slice(0, MAX_COLUMNS)
    .sort((a, b) => a - b);
  const fields = fieldsOf(page, columns);
  const sorters = fields.map((field, place) =>
    button(
      breakable(field.title),
      () => {
        const [now, way] = store.state.sort ?? [];
        store.change({ sort: now === place ? [place, -way] : [place, 1], top: 0 });
      },
      { class: "sorter", title: field.hint ?? field.title },
    ),
  );
  const heads = sorters.map((sorter, place) =>
    make("th", { scope: "col", class: fields[place].number ? "number" : null }, sorter),
  );
  const body = make("tbody");
  const turn = (by) => () => store.change({ top: Math.max(store.state.top + by, 0) });
  const [back, on] = [button("Earlier rows", turn(-PAGE_SIZE)), button("More rows", turn(PAGE_SIZE))];
  const place = make("p", { class: "soft" });
  const all =
    model.n_rows > rows.length
      ? `A sample of ${number(rows.length, 3, 1000)} of the ${number(model.n_rows, 3, 1000)} rows.`
      : `All ${number(rows.length, 3, 1000)} rows.`;
  const left =
    columns.length < model.columns.length
      ? ` The ${columns.length} most important of ${model.columns.length} columns are shown.`
      : "";
  bodyOf("rows").append(
    make("p", { class: "soft" }, all + left + " Choose one to start from it."),
    ...unusualRows(page),
    make(
      "div",
      { class: "scroll", tabindex: "0", role: "region", "aria-label": "Table of rows" },
      make(
        "table",
        {},
        make("caption", { class: "unseen" }, "Rows of the data"),
        make("thead", {}, make("tr", {}, ...heads)),
        body,
      ),
    ),
    make("div", { class: "buttons" }, back, on, place),
  );

  let drawn = "",
    predictions = null;
  return (view) => {
    const first = Math.min(view.state.top, rows.length - 1);
    if (predictions?.model !== view.model) predictions = { model: view.model, outputs: outputsOf(view.model, rows) };
    const order = sorted(page, fields, view.state.sort, predictions.outputs);
    const shown = order.slice(first, first + PAGE_SIZE);
    heads.forEach((head, at) =>
      setAttribute(
        head,
        "aria-sort",
        view.state.sort?.[0] === at ? (view.state.sort[1] > 0 ? "ascending" : "descending") : null,
      ),
    );
    setText(place, `${first + 1} to ${first + shown.length} of ${rows.length}`);
    setAttribute(back, "disabled", first === 0);
    setAttribute(on, "disabled", first + PAGE_SIZE >= rows.length);
    const key = JSON.stringify([shown, view.edits, view.state.from]);
    if (key === drawn) return;
    drawn = key;
    body.replaceChildren(...shown.map((r) => line(page, fields, r, predictions.outputs[r], view.state.from === r)));
  };
}

/** Return a paragraph that names the rows that are unlike the training data, if that is known. */
function unusualRows(page) {
  const { unusual } = page.model;
  if (!unusual) return [];
  if (!unusual.length) return [make("p", { class: "soft" }, "None of these rows is unlike the training data.")];
  const words = unusual.length === 1 ? "1 of these rows is" : `${unusual.length} of these rows are`;
  const picks = unusual.slice(0, MAX_UNUSUAL).flatMap((r) => [
    button(page.rowName(r), () => page.store.change({ row: page.rows[r], from: r }), {
      "aria-label": `Start from the unusual row ${page.rowName(r)}`,
    }),
    " ",
  ]);
  const more = unusual.length > MAX_UNUSUAL ? `and ${unusual.length - MAX_UNUSUAL} more. ` : "";
  return [
    make("p", { class: "soft unusual" }, `${words} unlike the training data (far from its mean): `, ...picks, `${more}What the map says of such a row is a guess.`),
  ];
}

function fieldsOf(page, columns) {
  const { model } = page;
  const fields = [{ title: "row", value: (r) => model.numbers[r], show: (r) => page.rowName(r), number: true }];
  const name = (k) => short(page.outputs[k].name, 24);
  if (model.answers) {
    const truth = (r) => model.answers[r];
    fields.push(
      model.kind === "classifier"
        ? { title: "truth", value: truth, show: (r) => (truth(r) === null ? "unknown" : name(truth(r))) }
        : {
            title: "truth",
            value: (r) => truth(r)?.[0] ?? null,
            show: (r) => (truth(r)?.[0] == null ? "unknown" : number(truth(r)[0], 6, 1000)),
            number: true,
          },
    );
  }
  if (model.kind === "classifier") {
    fields.push({
      title: "map says",
      value: (_, outputs) => predictedOutput(outputs),
      show: (_, outputs) => name(predictedOutput(outputs)),
    });
    fields.push({
      title: "probability",
      value: (_, outputs) => Math.max(...outputs),
      show: (_, outputs) => percent(Math.max(...outputs)),
      number: true,
    });
  } else
    fields.push({
      title: "map says",
      value: (_, outputs) => outputs[0],
      show: (_, outputs) => amount(outputs[0]),
      number: true,
    });
  for (const c of columns) {
    const { name: title, choices } = model.columns[c];
    fields.push({
      title: short(title, 20),
      hint: title,
      value: (r) => page.rows[r][c],
      show: (r) => short(cell(page.rows[r][c], model.columns[c]), 24),
      number: !choices,
    });
  }
  return fields;
}

function sorted(page, fields, sort, outputs) {
  const order = [...page.rows.keys()];
  const field = sort && fields[sort[0]];
  if (!field) return order;
  const values = order.map((r) => field.value(r, outputs[r]));
  // Unknown values come last in both directions.
  const compare = (a, b) => (a === b ? 0 : a === null ? Infinity : b === null ? -Infinity : (a < b ? -1 : 1) * sort[1]);
  return order.sort((a, b) => compare(values[a], values[b]) || a - b);
}

function line(page, fields, r, outputs, chosen) {
  const { model, store } = page;
  const pick = () => store.change({ row: page.rows[r], from: r });
  const cells = fields.map((field, place) =>
    place === 0
      ? make(
          "th",
          { scope: "row" },
          button(field.show(r), pick, {
            class: "pick",
            "aria-label": `Start from row ${field.show(r)}`,
            "aria-pressed": String(chosen),
          }),
        )
      : make("td", { class: field.number ? "number" : null }, field.show(r, outputs)),
  );
  const wrong =
    model.kind === "classifier" &&
    model.answers &&
    model.answers[r] !== null &&
    model.answers[r] !== predictedOutput(outputs);
  return make(
    "tr",
    { class: [chosen && "chosen", wrong && "wrong"].filter(Boolean).join(" ") || null, onclick: pick },
    ...cells,
  );
}
