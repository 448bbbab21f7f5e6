// Player of the states step by step, with a line chart.

import { button, make, setAttribute, setText } from "./dom.js";
import { drawChart } from "./chart.js";

const PACE = 1100; // milliseconds per step

export function timePart(page) {
  const { store } = page;
  let timer = null;
  const last = () => page.lastStep();
  const now = () => Math.min(store.state.step ?? last(), last());
  const go = (step) => store.change({ step: step >= last() ? null : Math.max(step, 0) });

  function pause() {
    clearInterval(timer);
    timer = null;
    page.playing = false;
  }
  function stop() {
    pause();
    page.refresh();
  }
  function play() {
    if (timer !== null) return stop();
    page.playing = true;
    // Long trajectories of hand-made maps play faster, so that none takes much longer than ten seconds.
    timer = setInterval(() => (now() >= last() ? stop() : go(now() + 1)), Math.max(Math.min(PACE, 10000 / last()), 60));
    store.change({ flow: true, step: now() >= last() ? 0 : now() });
  }

  const playing = button("Play", play, { class: "play" });
  const slider = make("input", {
    type: "range",
    min: 0,
    step: 1,
    id: "step",
    oninput: () => {
      pause();
      go(Number(slider.value));
    },
  });
  const words = make("output", { for: "step", class: "amount" });
  const step = (by) => () => {
    pause();
    go(now() + by);
  };
  const back = button("◂", step(-1), { "aria-label": "One step back" });
  const forward = button("▸", step(1), { "aria-label": "One step forward" });
  const chart = drawChart(page);
  const [starts, ends] =
    page.model.kind === "map"
      ? [": where the map was", ": where it ends"]
      : [": the values enter", ": the answer is read"];
  const element = make(
    "div",
    { class: "time" },
    make("h3", { id: "time-heading" }, "Step by step"),
    make(
      "div",
      { class: "tools" },
      make("div", { class: "buttons" }, back, playing, forward),
      make("div", { class: "tool grow" }, make("label", { for: "step" }, "Step"), slider, words),
    ),
    chart.element,
  );
  return {
    element,
    update(view) {
      setText(playing, timer === null ? "Play" : "Pause");
      setAttribute(slider, "max", last());
      if (slider.value !== String(view.step)) slider.value = String(view.step);
      const meaning = view.step === 0 ? starts : view.step === last() ? ends : "";
      setText(words, `${view.step} of ${last()}${meaning}`);
      setAttribute(slider, "aria-valuetext", `${view.step} of ${last()}`);
      setAttribute(back, "disabled", view.step === 0);
      setAttribute(forward, "disabled", view.step === last());
      chart.update(view);
    },
  };
}
