// Forecast of a map in time: a chart of past and future, values to hold, and a player of the steps.

import { bodyOf, button, draw, make, setAttribute, setText } from "./dom.js";
import { runForecast } from "./engine_forecast.js";
import { number, short } from "./words.js";

const WIDTH = innerWidth < 600 ? 360 : 640, // a narrow chart is drawn narrow, so that its text stays readable
  HEIGHT = 260,
  LEFT = 56,
  RIGHT = 14,
  TOP = 12,
  BOTTOM = 28;
const PACE = 350; // milliseconds per step
const POSITIONS = 200; // of a slider

/** Return round numbers between two values, about four. */
function ticks(low, high) {
  const rough = (high - low) / 4 || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough * 0.999) ?? 10);
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: Math.max(count, 0) }, (_, k) => (first + k) * step);
}

export function forecastPart(page) {
  const data = page.model.forecast;
  const baseline = runForecast(data);
  let shown = 0,
    held = {},
    visible = data.steps,
    timer = null;

  const chart = draw("svg", { class: "chart forecast-chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img" });
  const sentence = make("p", { "aria-live": "polite" });
  const play = button("Play", () => (timer === null ? start() : stop()), { class: "play" });
  const selector = make(
    "select",
    {
      id: "forecast-variable",
      onchange: () => {
        shown = Number(selector.value);
        update();
      },
    },
    ...data.variables.map(({ name }, v) => make("option", { value: v }, name)),
  );
  const holds = [...data.variables.map(rangeOfVariable), ...data.drivers.map(rangeOfDriver)].map(holdControl);

  function start() {
    visible = 0;
    timer = setInterval(() => {
      visible += 1;
      if (visible >= data.steps) stop();
      update();
    }, PACE);
    update();
  }
  function stop() {
    clearInterval(timer);
    timer = null;
    visible = data.steps;
    update();
  }

  /** Create the controls that hold one variable or driver. */
  function holdControl({ name, low, high, now }, place) {
    const value = (position) => low + ((high - low) * position) / POSITIONS;
    const id = `hold-${place}`;
    const amount = make("output", { for: `${id}-value`, class: "amount" });
    const slider = make("input", {
      type: "range",
      min: 0,
      max: POSITIONS,
      id: `${id}-value`,
      "aria-label": `${name} is held at`,
      value: Math.round(((now - low) / (high - low || 1)) * POSITIONS),
      oninput: () => {
        check.checked = true;
        change();
      },
    });
    const from = make(
      "select",
      { "aria-label": `${name} is held from`, onchange: () => change() },
      ...data.times.map((time, k) => make("option", { value: k }, `from ${time}`)),
    );
    const check = make("input", { type: "checkbox", id, onchange: () => change() });
    function change() {
      held = { ...held };
      delete held[name];
      if (check.checked) held[name] = { value: value(Number(slider.value)), from: Number(from.value) };
      update();
    }
    const label = make("label", { for: id }, check, `Hold ${short(name, 40)}`);
    return {
      element: make("div", { class: "hold-row" }, label, amount, slider, from),
      update: () => setText(amount, number(value(Number(slider.value)), 4)),
    };
  }

  function rangeOfVariable({ name, history, log }) {
    const known = history.filter((value) => value !== null);
    const [low, high] = [Math.min(...known), Math.max(...known)];
    const room = (high - low) * 0.25;
    return { name, low: log ? Math.max(low - room, low / 2) : low - room, high: high + room, now: known.at(-1) };
  }
  function rangeOfDriver({ name, center, scale, last }) {
    return { name, low: center - 3 * scale, high: center + 3 * scale, now: center + scale * last };
  }

  function update() {
    const scenario = Object.keys(held).length ? runForecast(data, held) : baseline;
    setText(play, timer === null ? "Play" : "Stop");
    for (const hold of holds) hold.update();
    drawAll(scenario);
    const variable = data.variables[shown];
    const end = scenario.values[shown].at(-1),
      change = end - baseline.values[shown].at(-1);
    const what = `${variable.name} at ${data.times.at(-1)}: ${number(end, 4)}`;
    const against = Object.keys(held).length
      ? `, ${number(Math.abs(change), 4)} ${change < 0 ? "less" : "more"} than if nothing is held (dashed).`
      : `. The band covers ${100 * data.level} % of the values.`;
    setText(sentence, what + against);
  }

  function drawAll(scenario) {
    const past = data.variables[shown].history;
    const later = scenario.values[shown].slice(0, visible);
    const all = [...past.filter((value) => value !== null), ...scenario.low[shown], ...scenario.high[shown]];
    const low = Math.min(...all, ...baseline.values[shown]),
      high = Math.max(...all, ...baseline.values[shown]);
    const n = past.length + data.steps;
    const x = (place) => LEFT + ((WIDTH - LEFT - RIGHT) * place) / Math.max(n - 1, 1);
    const y = (value) => TOP + ((HEIGHT - TOP - BOTTOM) * (high - value)) / (high - low || 1);
    const at = (values, first) =>
      values
        .map((value, k) => (value === null ? null : `${x(first + k).toFixed(1)},${y(value).toFixed(1)}`))
        .filter((point) => point !== null);
    const band = [
      ...at(scenario.high[shown].slice(0, visible), past.length),
      ...at(scenario.low[shown].slice(0, visible), past.length).reverse(),
    ];
    const times = [...data.past_times, ...data.times];
    const marks = [0, past.length - 1, n - 1];
    chart.replaceChildren(
      ...ticks(low, high).flatMap((value) => [
        draw("line", { class: "grid", x1: LEFT, x2: WIDTH - RIGHT, y1: y(value), y2: y(value) }),
        draw("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, number(value, 4)),
      ]),
      ...marks.map((place, i) =>
        draw(
          "text",
          { x: x(place), y: HEIGHT - 8, "text-anchor": ["start", "middle", "end"][i] },
          times[place] ?? "",
        ),
      ),
      draw("polygon", { class: "forecast-band", points: band.join(" ") }),
      draw("polyline", { class: "series series-8", fill: "none", points: at(past, 0).join(" ") }),
      ...(scenario === baseline
        ? []
        : [
            draw("polyline", {
              class: "series baseline",
              fill: "none",
              points: at(baseline.values[shown], past.length).join(" "),
            }),
          ]),
      draw("polyline", { class: "series", fill: "none", points: [...at([past.at(-1)], past.length - 1), ...at(later, past.length)].join(" ") }),
      draw("line", { class: "cursor", x1: x(past.length - 1), x2: x(past.length - 1), y1: TOP, y2: HEIGHT - BOTTOM }),
    );
    setAttribute(chart, "aria-label", `${data.variables[shown].name}: past values and forecast`);
  }

  bodyOf("forecast").append(
    ...(data.panel ? [make("p", {}, `Series ${short(data.panel.series, 40)}, the first of ${data.panel.n}.`)] : []),
    sentence,
    make("div", { class: "scroll-chart" }, chart),
    make(
      "div",
      { class: "tools" },
      play,
      ...(data.variables.length > 1
        ? [make("div", { class: "tool" }, make("label", { for: "forecast-variable" }, "Show"), selector)]
        : []),
    ),
    make("h3", {}, "What if?"),
    ...holds.map(({ element }) => element),
  );
  update();
  return () => {};
}
