// Explanation of the prediction: contributions, which add up to the difference from a typical row.

import { bodyOf, make, setAttribute, setStyle, setText } from "./dom.js";
import { amount, amountBetween, cellWithUnit, className, percent, points, pointsBetween, short, signedAmount } from "./words.js";
import { predictedOutput } from "./answer.js";

const SLOTS = 4; // on each side; a fixed number, so that the layout does not move

/** Return the explained output: the selected or the predicted one. */
export function explainedOutput(model, view) {
  return view.state.output ?? (model.kind === "classifier" ? predictedOutput(view.result.outputs) : 0);
}

/** Format a contribution: percentage points of a probability, or an amount of a value. */
export function contributionWords(model, value) {
  return model.kind === "classifier" ? points(value) : signedAmount(value, model.unit);
}

export function reasonsPart(page) {
  const { model } = page;
  const heading = document.getElementById("reasons-heading");
  const choice = outputChoice(page);
  const size = Math.min(SLOTS, model.columns.length);
  const sides = [
    side(model.kind === "classifier" ? "For" : "Raises", "up", size),
    side(model.kind === "classifier" ? "Against" : "Lowers", "down", size),
  ];
  const sum = make("p", { class: "sum" });
  const note = make("p", { class: "soft note" });
  const help = make(
    "p",
    { class: "soft" },
    (model.kind === "classifier" ? "A point is one percent of probability. " : "") +
      "Bars are relative to the largest reason.",
  );
  bodyOf("reasons").append(
    ...[choice?.element ?? null, make("div", { class: "sides" }, ...sides.map((one) => one.element)), sum, help, note].filter(
      Boolean,
    ),
  );
  return (view) => {
    const k = explainedOutput(model, view);
    choice?.update(view);
    const output = page.outputs[k];
    const values = view.reasons.values.map((ofOutputs) => ofOutputs[k]);
    const order = [...values.keys()].sort((a, b) => Math.abs(values[b]) - Math.abs(values[a]));
    const most = Math.abs(values[order[0]] ?? 0) || 1;
    const name = model.kind === "classifier" ? className(short(output.name, 40)) : short(output.name, 40);
    setText(
      heading,
      model.kind === "classifier"
        ? `What speaks for ${name}, and against it`
        : `What raises ${name}, and what lowers it`,
    );
    [1, -1].forEach((sign, place) => {
      // What rounds to 0 is neither a reason for nor against.
      const kept = order.filter((c) => sign * values[c] > 0 && /[1-9]/.test(contributionWords(model, values[c])));
      sides[place].update(
        kept.map((c) => ({
          name: model.columns[c].name,
          value: short(cellWithUnit(view.state.row[c], model.columns[c]), 24),
          words: contributionWords(model, values[c]),
          share: Math.abs(values[c]) / most,
          amount: values[c],
        })),
        (amount) => contributionWords(model, amount),
      );
    });
    const [base, end] = [view.reasons.base[k], view.reasons.outputs[k]];
    const show = (value) => (model.kind === "classifier" ? percent(value) : amount(value, model.unit));
    const total = model.kind === "classifier" ? pointsBetween(base, end) : amountBetween(base, end, model.unit);
    // The typical row of the button has one value of each, and another answer.
    const mix = model.columns.some((column) => column.choices) ? " (of choices, their mix in the data)" : "";
    setText(
      sum,
      `${show(base)} with every column at its typical value${mix}, ${total} from these values: ${show(end)}.` +
        (page.outputs[k].log ? " These are logarithms." : ""),
    );
    setText(note, Object.keys(view.state.clamp).length ? "This explanation ignores held concepts." : "");
  };
}

function outputChoice({ model, store, outputs }) {
  if (outputs.length < 2) return null;
  const select = make("select", {
    onchange: () => store.change({ output: select.value === "" ? null : Number(select.value) }),
  });
  if (model.kind === "classifier") select.append(make("option", { value: "" }, "what the map says"));
  outputs.forEach((output, k) => select.append(make("option", { value: String(k) }, short(output.name, 60))));
  return {
    element: make("label", { class: "inline" }, "Explain ", select),
    update({ state }) {
      const value = state.output === null ? (model.kind === "classifier" ? "" : "0") : String(state.output);
      if (select.value !== value) select.value = value;
    },
  };
}

function side(title, direction, size) {
  const lines = Array.from({ length: size }, () => {
    const name = make("span", { class: "reason-name" });
    const value = make("span", { class: "reason-value" });
    const fill = make("span", { class: `fill ${direction}` });
    const words = make("span", { class: `reason-words ${direction}-text` });
    return {
      name,
      value,
      fill,
      words,
      element: make("li", {}, name, value, words, make("span", { class: "track thin" }, fill)),
    };
  });
  const rest = make("p", { class: "soft rest" });
  const heading = make("h3", { class: `${direction}-text` }, title);
  return {
    element: make(
      "div",
      { class: "side" },
      heading,
      make("ul", { class: "reasons" }, ...lines.map((line) => line.element)),
      rest,
    ),
    update(reasons, words) {
      lines.forEach((line, place) => {
        const reason = reasons[place];
        setAttribute(line.element, "class", reason ? null : "empty");
        setText(line.name, reason ? short(reason.name, 44) : place === 0 ? "nothing" : "");
        setAttribute(line.name, "title", reason ? reason.name : null);
        setText(line.value, reason ? reason.value : "");
        setText(line.words, reason ? reason.words : "");
        setStyle(line.fill, "width", `${(100 * (reason?.share ?? 0)).toFixed(1)}%`);
      });
      const others = reasons.slice(lines.length);
      setText(
        rest,
        others.length
          ? `and ${others.length} more, together ${words(others.reduce((sum, one) => sum + one.amount, 0))}`
          : "\u00a0",
      );
    },
  };
}
