// The simple view of a learned map: one box per column, the answer, and the net effect of each column through all paths.

import { button, draw, make, setAttribute, setParts, setStyle, setText } from "./dom.js";
import { contributionWords, explainedOutput } from "./reasons.js";
import { outputAmount } from "./answer.js";
import { cell, className, ofHundred, short } from "./words.js";

const SHOWN = 10; // columns drawn before all are asked for
const LEAST = 0.005; // share from which a column is drawn
const [WIDTH, LEFT, BOX, ANSWER, ROW, TALL, TOP] = [730, 4, 330, 160, 38, 30, 8];
const [THINNEST, THICKEST, HEAD] = [1.2, 9, 9];

export function simpleView(page) {
  const { model } = page;
  const order = [...model.columns.keys()]
    .filter((c) => page.importance[c] >= LEAST)
    .sort((a, b) => page.importance[b] - page.importance[a]);
  let size = order.length <= SHOWN + 2 ? order.length : SHOWN;
  const svg = draw("svg", { class: "simple", role: "img", "aria-label": "Columns and the answer; the list says the same" });
  const list = make("ul", { class: "simple-list" });
  const words = make("p", { class: "soft" });
  const original = make("p", { class: "warning" });
  const more = button(`Show all ${order.length} columns`, () => {
    size = order.length;
    lines = build();
    page.refresh();
  });
  let lines = build();

  function build() {
    const height = 2 * TOP + ROW * size;
    setAttribute(svg, "viewBox", `0 0 ${WIDTH} ${height}`);
    setStyle(svg, "max-height", `${(1.25 * height).toFixed(0)}px`);
    setAttribute(more, "hidden", size === order.length);
    const shown = order.slice(0, size).map((c, place) => line(page, c, place, size, height));
    const tall = Math.min(Math.max(60, 14 * size), height - 2 * TOP);
    const answer = {
      box: draw("rect", { class: "answer-box", x: WIDTH - ANSWER - 2, y: (height - tall) / 2, width: ANSWER, height: tall, rx: 5 }),
      lines: [0, 1].map((place) =>
        draw("text", { x: WIDTH - 2 - ANSWER / 2, y: height / 2 - 4 + 18 * place, "text-anchor": "middle", class: place ? "strong" : null }),
      ),
    };
    svg.replaceChildren(...shown.map((one) => one.arrow), ...shown.map((one) => one.box), answer.box, ...answer.lines);
    list.replaceChildren(...shown.map((one) => one.item));
    shown.answer = answer;
    return shown;
  }

  return {
    element: make("div", { class: "simple-view" }, original, svg, list, words, more),
    update(view) {
      const k = explainedOutput(model, view);
      const name = model.outputs[k];
      setText(lines.answer.lines[0], model.target ? short(model.target, 17) : "the answer");
      setText(lines.answer.lines[1], model.kind === "classifier" ? short(className(name), 13) : outputAmount(page, k, view.result.outputs[k]));
      const { flow } = view.state;
      setText(original, view.edits.length && !flow ? "This is the original map. “This row” shows the changed one, and so does the inside." : "");
      const values = lines.map(({ c }) => view.reasons.values[c][k]);
      const most = Math.max(...values.map(Math.abs), 1e-12);
      const strongest = Math.max(...lines.map(({ c }) => page.importance[c]), 1e-12);
      lines.forEach((one, place) => {
        const effect = model.columns[one.c].effects?.[k] ?? 0;
        one.update(view, {
          share: flow ? Math.abs(values[place]) / most : page.importance[one.c] / strongest,
          sign: flow ? Math.sign(values[place]) : Math.sign(effect),
          text: flow ? contributionWords(model, values[place]) : null,
        });
      });
      const answer = model.kind === "classifier" ? `${className(short(name, 30))} more likely` : "the answer higher";
      const less = model.kind === "classifier" ? "less likely" : "lower";
      setText(
        words,
        flow
          ? `This row: blue columns make ${answer}, orange ones ${less}. The width is the size of their part.`
          : `All data: more of a blue column makes ${answer}, more of an orange one ${less}, the rest unchanged; ` +
              "grey: it depends, or hardly either way. The percentage is the share of the importance: the width.",
      );
    },
  };
}

function line(page, c, place, size, height) {
  const { model } = page;
  const { name, key } = model.columns[c];
  const y = TOP + ROW * place + ROW / 2;
  const share = `${ofHundred(page.importance[c])}\u00a0%`;
  const value = draw("text", { class: "soft-text", x: LEFT + BOX - 10, y: y + 5, "text-anchor": "end" });
  const box = draw(
    "g",
    {},
    draw("title", {}, name),
    draw("rect", { class: "column-box", x: LEFT, y: y - TALL / 2, width: BOX, height: TALL, rx: 5 }),
    draw("text", { x: LEFT + 10, y: y + 5 }, short(name, 25)),
    value,
  );
  // Arrows end next to each other on the side of the answer.
  const spread = Math.min(Math.max(60, 14 * size), height - 2 * TOP) - 16;
  const end = height / 2 - spread / 2 + (spread * (place + 0.5)) / size;
  const [from, to] = [LEFT + BOX, WIDTH - ANSWER - 2 - HEAD];
  const middle = (from + to) / 2;
  const path = draw("path", { d: `M${from},${y}C${middle},${y} ${middle},${end.toFixed(1)} ${to},${end.toFixed(1)}` });
  const head = draw("polygon", { points: `${to + HEAD},${end.toFixed(1)} ${to},${(end - 4).toFixed(1)} ${to},${(end + 4).toFixed(1)}` });
  const arrow = draw("g", {}, path, head);
  const figure = make("span", { class: "number" });
  const fill = make("span", { class: "fill" });
  const item = make("li", {}, make("span", { class: "bar-name", title: name }, short(name, 40)), figure, make("span", { class: "track" }, fill));
  return {
    c,
    box,
    arrow,
    item,
    update({ state }, { share: size, sign, text }) {
      const direction = sign > 0 ? "up" : sign < 0 ? "down" : "neutral";
      setAttribute(arrow, "class", `net ${direction}`);
      setAttribute(path, "stroke-width", (THINNEST + (THICKEST - THINNEST) * size).toFixed(2));
      const said = text === null ? share : `${short(cell(state.row[c], model.columns[c]), 9)}  ${text}`;
      setText(value, said);
      setAttribute(value, "data-key", text === null ? key : null);
      setParts(figure, [text === null && key ? { key, text: share } : said]);
      setAttribute(fill, "class", `fill ${direction}`);
      setStyle(fill, "width", `${(100 * size).toFixed(1)}%`);
    },
  };
}
