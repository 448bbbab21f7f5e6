// Line chart of states over steps: outputs, or the most changing concepts of a hand-made map; and the selected concept.

import { draw, make, setAttribute, setText } from "./dom.js";
import { conceptName, fixed, short } from "./words.js";

const LINES = 8;
const WIDTH = 520,
  HEIGHT = 180,
  LEFT = 40,
  RIGHT = 175,
  TOP = 12,
  BOTTOM = 26;

export function drawChart(page) {
  const { model } = page;
  const lines = Array.from({ length: LINES + 1 }, (_, place) => ({
    path: draw("polyline", { class: `series series-${place}`, fill: "none" }),
    dot: draw("circle", { class: `series series-${place} dot`, r: 3.5 }),
    label: draw("text", { class: `series-name`, x: WIDTH - RIGHT + 12 }),
    mark: draw("path", { class: `series series-${place}` }),
  }));
  const cursor = draw("line", { class: "cursor", y1: TOP, y2: HEIGHT - BOTTOM });
  const axis = draw("g", { class: "axis" });
  const svg = draw(
    "svg",
    {
      class: "chart",
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      role: "img",
      "aria-label": "States over steps; the same numbers are in the table below",
    },
    axis,
    cursor,
    ...lines.flatMap((line) => [line.path, line.dot, line.mark, line.label]),
  );
  let scale = null;

  return {
    element: make("div", { class: "scroll-chart" }, svg),
    update(view) {
      const { states } = view.result;
      const last = states.length - 1;
      const low = Math.min(...page.shownConcepts.map((i) => page.rangeOfState(i).low)),
        high = Math.max(...page.shownConcepts.map((i) => page.rangeOfState(i).high));
      const x = (step) => LEFT + ((WIDTH - LEFT - RIGHT) * step) / Math.max(last, 1);
      const y = (state) => TOP + ((HEIGHT - TOP - BOTTOM) * (high - state)) / (high - low || 1);
      if (scale !== `${last} ${low} ${high}`) {
        scale = `${last} ${low} ${high}`;
        axis.replaceChildren(...axisOf(last, low, high, x, y));
      }
      const shown = linesShown(page, view);
      const ends = shown.map((i) => y(states[view.step][i])); // labels stand where the values of this step are
      const heights = apart(ends);
      lines.forEach((line, place) => {
        const i = shown[place];
        for (const part of Object.values(line)) setAttribute(part, "visibility", i === undefined ? "hidden" : null);
        if (i === undefined) return;
        setAttribute(
          line.path,
          "points",
          states.map((state, step) => `${x(step).toFixed(1)},${y(state[i]).toFixed(1)}`).join(" "),
        );
        setAttribute(line.dot, "cx", x(view.step).toFixed(1));
        setAttribute(line.dot, "cy", y(states[view.step][i]).toFixed(1));
        setAttribute(
          line.mark,
          "d",
          `M${x(view.step).toFixed(1)},${ends[place].toFixed(1)}L${WIDTH - RIGHT + 9},${heights[place].toFixed(1)}`,
        );
        setAttribute(line.label, "y", (heights[place] + 4).toFixed(1));
        setText(line.label, `${fixed(states[view.step][i], 2)} ${short(conceptName(model, i), 22)}`);
      });
      setAttribute(cursor, "x1", x(view.step).toFixed(1));
      setAttribute(cursor, "x2", x(view.step).toFixed(1));
    },
  };
}

function linesShown(page, { result, state }) {
  let shown = page.shownConcepts;
  if (shown.length > LINES) {
    const first = result.states[0],
      last = result.states.at(-1);
    shown = [...shown]
      .sort((a, b) => Math.abs(last[b] - first[b]) - Math.abs(last[a] - first[a]))
      .slice(0, LINES)
      .sort((a, b) => a - b);
  }
  return state.chosen === null || shown.includes(state.chosen) ? shown : [...shown, state.chosen];
}

/** Move labels apart, keeping their order, so that none overlap. */
function apart(heights) {
  const order = [...heights.keys()].sort((a, b) => heights[a] - heights[b]);
  const result = [...heights];
  const spacing = 15;
  let above = -Infinity;
  for (const place of order) above = result[place] = Math.max(result[place], above + spacing, TOP);
  let below = HEIGHT - BOTTOM + spacing;
  for (const place of order.reverse()) below = result[place] = Math.min(result[place], below - spacing);
  return result;
}

function axisOf(last, low, high, x, y) {
  const every = Math.max(1, Math.ceil(last / 10));
  const steps = Array.from({ length: Math.floor(last / every) + 1 }, (_, place) => place * every);
  return [
    ...[low, (low + high) / 2, high].flatMap((value) => [
      draw("line", { x1: LEFT, x2: x(last), y1: y(value), y2: y(value) }),
      draw(
        "text",
        { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" },
        fixed(value, Number.isInteger(value) ? 0 : 1),
      ),
    ]),
    ...steps.map((step) =>
      draw("text", { x: x(step), y: HEIGHT - 8, "text-anchor": "middle" }, step === 0 ? "step 0" : String(step)),
    ),
  ];
}
