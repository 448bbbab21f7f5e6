// Charts of scenarios: states over the steps, and changes side by side.

import { draw, make } from "./dom.js";
import { t, tn } from "./board_text.js";
import { number, short, signedFixed } from "./words.js";

const SHOWN = 8; // lines

/** Draw the states of the most changing concepts over the steps. */
export function linesOf(doc, path) {
  const spread = doc.concepts.map(
    (_, i) => Math.max(...path.map((states) => states[i])) - Math.min(...path.map((states) => states[i])),
  );
  const shown = spread
    .map((_, i) => i)
    .sort((a, b) => spread[b] - spread[a])
    .slice(0, SHOWN);
  const all = shown.flatMap((i) => path.map((states) => states[i]));
  const [low, high] = [Math.min(0, ...all), Math.max(1, ...all)];
  const [width, height, right] = [420, 150, 150];
  const x = (step) => 30 + ((width - 30 - right) * step) / Math.max(path.length - 1, 1);
  const y = (state) => 8 + (height - 26) * (1 - (state - low) / (high - low));
  const ends = shown.map((i) => ({ i, y: y(path.at(-1)[i]) })).sort((a, b) => a.y - b.y);
  ends.forEach((end, k) => (end.y = Math.max(end.y, k ? ends[k - 1].y + 13 : 8)));
  for (let k = ends.length - 1; k >= 0; k--) ends[k].y = Math.min(ends[k].y, height - 8 - 13 * (ends.length - 1 - k));
  return draw(
    "svg",
    { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": t("linesLabel") },
    draw(
      "g",
      { class: "axis" },
      ...[low, high].map((state) => draw("text", { x: 24, y: y(state) + 4, "text-anchor": "end" }, number(state))),
      draw("line", { x1: 30, x2: width - right, y1: y(low), y2: y(low) }),
      draw("text", { x: width - right, y: height - 3, "text-anchor": "end" }, tn("countSteps", path.length - 1)),
    ),
    ...shown.map((i, k) =>
      draw("polyline", {
        class: `series series-${k}`,
        fill: "none",
        points: path.map((states, step) => `${x(step).toFixed(1)},${y(states[i]).toFixed(1)}`).join(" "),
      }),
    ),
    ...ends.map((end) =>
      draw("text", { class: "series-name", x: width - right + 8, y: end.y + 4 }, short(doc.concepts[end.i].name, 22)),
    ),
    ...ends.map((end) =>
      draw("line", {
        class: `series series-${shown.indexOf(end.i)}`,
        x1: width - right + 1,
        x2: width - right + 6,
        y1: end.y,
        y2: end.y,
      }),
    ),
  );
}

/** Draw the changes of all scenarios as bars beside each concept. */
export function barsOf(doc, { results: all }) {
  const most = Math.max(1e-9, ...all.flatMap(({ change }) => [...change].map(Math.abs)));
  const order = doc.concepts
    .map((_, i) => i)
    .sort(
      (a, b) =>
        Math.max(...all.map(({ change }) => Math.abs(change[b]))) -
        Math.max(...all.map(({ change }) => Math.abs(change[a]))),
    );
  const [bar, gap, left, width] = [11, 10, 150, 420];
  const middle = left + (width - left) / 2,
    reach = (width - left) / 2 - 44;
  const row = bar * all.length + gap;
  const body = order.flatMap((i, r) => [
    draw(
      "text",
      { x: left - 8, y: 8 + r * row + (bar * all.length) / 2 + 4, "text-anchor": "end", class: "series-name" },
      short(doc.concepts[i].name, 22),
    ),
    ...all.flatMap(({ change }, k) => {
      const length = (reach * Math.abs(change[i])) / most;
      return [
        draw("rect", {
          class: `bar-of series-${k % 9}`,
          x: change[i] < 0 ? middle - length : middle,
          y: 8 + r * row + k * bar,
          width: Math.max(length, 0.5).toFixed(1),
          height: bar - 2,
        }),
        draw(
          "text",
          {
            class: "bar-number",
            x: change[i] < 0 ? middle - length - 3 : middle + length + 3,
            y: 8 + r * row + k * bar + bar - 3,
            "text-anchor": change[i] < 0 ? "end" : "start",
          },
          signedFixed(change[i], 2),
        ),
      ];
    }),
  ]);
  const legend = make(
    "ul",
    { class: "legend" },
    ...doc.scenarios.map(({ name }, k) =>
      make(
        "li",
        {},
        draw(
          "svg",
          { width: 14, height: 10, "aria-hidden": "true" },
          draw("rect", { class: `bar-of series-${k % 9}`, width: 14, height: 10 }),
        ),
        ` ${name}`,
      ),
    ),
  );
  const height = 12 + row * order.length;
  return make(
    "div",
    { class: "bars-box" },
    legend,
    draw(
      "svg",
      { class: "chart tall", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": t("barsLabel") },
      draw("line", { class: "zero", x1: middle, x2: middle, y1: 2, y2: height - 4 }),
      ...body,
    ),
  );
}
