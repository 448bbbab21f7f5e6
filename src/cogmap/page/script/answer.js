// The prediction, in words and as bars.

import { bodyOf, make, setAttribute, setParts, setStyle, setText } from "./dom.js";
import { classSet, intervals, labelSets, pValue } from "./engine.js";
import { amount, className, count, fixed, listed, number, ofHundred, percent, short, signedFixed } from "./words.js";

/** Return the index of the largest output: the second of two equal ones, the first of several, as `predict` does. */
export function predictedOutput(outputs) {
  if (outputs.length === 2) return outputs[1] >= outputs[0] ? 1 : 0;
  let best = 0;
  for (let k = 1; k < outputs.length; k++) if (outputs[k] > outputs[best]) best = k;
  return best;
}

/** Return the prediction in one line, for the header and for titles. */
export function answerLine(page, outputs) {
  const { model, outputs: names } = page;
  if (model.kind === "classifier") {
    const best = predictedOutput(outputs);
    return `${className(short(names[best].name, 24))}, ${percent(outputs[best])}`;
  }
  return names.map((output, k) => `${short(output.name, 20)} ${outputAmount(page, k, outputs[k])}`).join(", ");
}

/** Format the value of an output with its unit. The map of a forecaster may compute logarithms. */
export function outputAmount({ model, outputs }, k, value) {
  return amount(outputs[k].log ? Math.exp(value) : value, model.unit);
}

export function answerPart(page) {
  const { model } = page;
  const heading = document.getElementById("answer-heading");
  const part = model.kind === "classifier" ? classes(page) : model.kind === "regressor" ? values(page) : changes(page);
  setText(heading, part.kicker);
  const strange = make("p", { class: "strange", hidden: "" });
  bodyOf("answer").append(...part.elements, make("p", { class: "warning" }, model.card?.warning ?? ""), strange);
  const brief = document.getElementById("short-answer");
  return (view) => {
    part.update(view);
    const p = model.kind === "map" ? null : pValue(model, view.state.row);
    setText(strange, p === null ? "" : strangeWords(p));
    setAttribute(strange, "hidden", p === null || p > model.distances.strange);
    setText(brief, model.kind === "map" ? model.title : answerLine(page, view.result.outputs));
  };
}

const UNKNOWN = "How often such an answer is right on new rows is not known.";
const CHANGED = "The map was changed by hand: how often it is right on new rows is not known.";

/** Return how often answers of this probability were right on rows that were not learned from. */
function certainty(model, probability, edited) {
  const groups = model.card?.certainty;
  if (!groups) return [UNKNOWN];
  if (edited) return [CHANGED];
  let k = groups.length - 1;
  while (k > 0 && probability < groups[k].from) k--;
  const { rows, right } = groups[k];
  const isUnsure = right < 0.8 || model.card.warning; // a map that guesses is right by chance
  const words = isUnsure ? "It is not sure" : right >= 0.95 ? "It is sure" : "It is fairly sure";
  const range =
    k === groups.length - 1
      ? `${ofHundred(groups[k].from)}\u00a0% or more`
      : k === 0
        ? `less than ${ofHundred(groups[1].from)}\u00a0%`
        : `${ofHundred(groups[k].from)} to ${ofHundred(groups[k + 1].from)}\u00a0%`;
  return [
    `${words}: with ${groups.length > 1 ? `a probability of ${range}` : "any probability"}, `,
    { key: `/certainty/${k}/right`, text: ofHundred(right) },
    " of 100 new rows were answered right (",
    { key: `/certainty/${k}/rows`, text: String(rows) },
    " were tried); of all new rows, ",
    model.card.brief[0],
    " of 100.",
  ];
}

/** Return how far off the answers were on rows that were not learned from. */
function errorWords(model, edited) {
  const errors = model.card?.errors;
  if (!errors && model.forecast) return ["The band around the forecast shows how far off it may be."];
  if (!errors) return ["How far off such an answer is on new rows is not known."];
  if (edited) return [CHANGED.replace("how often it is right", "how far off it is")];
  const figure = (name) => ({ key: `/errors/${name}`, text: amount(errors[name], model.unit) });
  return [
    "On new rows, half of the answers were off by less than ",
    figure("median"),
    ", nine of ten by less than ",
    figure("90 %"),
    ".",
  ];
}

function strangeWords(p) {
  return `This row is unlike the training data: ${percent(p)} of the rows there are as far from their mean. What the map says of it is a guess.`;
}

/** Return whether the map is the learned one: intervals and sets of an edited or clamped map are not known. */
function isLearned({ edits, state }) {
  return edits.length === 0 && Object.keys(state.clamp).length === 0;
}

function classes({ model, outputs: names }) {
  const prediction = make("p", { class: "said", "aria-live": "polite" });
  const name = make("strong", { class: "said-name" });
  const chance = make("span", { class: "said-chance" });
  if (model.target) prediction.append(make("span", { class: "said-target" }, `${short(model.target, 40)}:`), " ");
  prediction.append(name, " ", chance);
  const sure = make("p", { class: "sure" });
  const next = make("p", { class: "soft" });
  const among = make("p", { class: "soft" });
  const bars = names.map((output) => bar(className(output.name)));
  const list = make(
    "ul",
    { class: "bars", "aria-label": "Probability of each class" },
    ...bars.map((one) => one.element),
  );
  return {
    kicker: "The map says",
    elements: [prediction, ...(model.sure ? [among] : []), sure, next, list],
    update(view) {
      const { edits } = view;
      const { outputs } = view.result;
      const set = isLearned(view) ? classSet(model, outputs) : null;
      setText(among, set === null ? "" : amongWords(set, names, model.sure.level));
      const order = [...outputs.keys()].sort((a, b) => outputs[b] - outputs[a]);
      const said = short(names[order[0]].name, 60);
      setText(name, model.target ? said : className(said));
      setParts(sure, certainty(model, outputs[order[0]], edits.length > 0));
      setText(chance, `with probability ${percent(outputs[order[0]])}`);
      setText(
        next,
        order.length > 1
          ? `Next comes ${className(short(names[order[1]].name, 60))} with ${percent(outputs[order[1]])}.`
          : "",
      );
      bars.forEach((one, k) => one.update(outputs[k], percent(outputs[k]), k === order[0]));
    },
  };
}

function amongWords(set, names, level) {
  // One class alone says no more than the probability: of the rows with such a set, fewer may be right than asked.
  if (set.length === 1) return "";
  const aim = `To be right in ${ofHundred(level)} of 100 new rows,`;
  if (set.length === names.length) return `${aim} it cannot rule out any class here.`;
  const shown = set.slice(0, SHOWN_CLASSES).map((k) => className(short(names[k].name, 30)));
  const more = set.length - shown.length;
  const all = more ? `${shown.join(", ")} or one of ${more} more` : alternatives(shown);
  return `${aim} it needs to name only ${all} here.`;
}

function alternatives(words) {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}

const SHOWN_CLASSES = 5;

function bar(name) {
  const fill = make("span", { class: "fill" });
  const text = make("span", { class: "bar-value" });
  const element = make(
    "li",
    {},
    make("span", { class: "bar-name", title: name }, short(name, 48)),
    make("span", { class: "track" }, fill),
    text,
  );
  return {
    element,
    update(share, words, strong) {
      setStyle(fill, "width", `${fixed(100 * Math.max(0, Math.min(share, 1)), 2)}%`.replace("−", "-"));
      setText(text, words);
      setAttribute(element, "class", strong ? "strong" : null);
    },
  };
}

function values(page) {
  const { model } = page;
  const sure = make("p", { class: "sure" });
  const parts = page.outputs.map((output, k) => {
    const prediction = make("strong", { class: "said-name number" });
    const mark = make("span", { class: "mark" });
    const interval = make("span", { class: "interval" });
    const between = make("p", { class: "soft" });
    const shown = (value) => outputAmount(page, k, value);
    const [inside, outside] = output.seen
      ? ["In the rows on this page it ranges", "range of the rows on this page"]
      : model.forecast
        ? ["Its last values range", "range of its last values"]
        : ["It usually ranges", "usual range"];
    const hasRange = Number.isFinite(output.low) && Number.isFinite(output.high);
    const place = hasRange ? make("p", { class: "soft" }) : null;
    const scale = hasRange
      ? make(
          "div",
          { class: "scale" },
          make("span", { class: "scale-end" }, shown(output.low)),
          make("span", { class: "track", "aria-hidden": "true" }, interval, mark),
          make("span", { class: "scale-end" }, shown(output.high)),
        )
      : null;
    const element = make(
      "div",
      { class: "value" },
      make(
        "p",
        { class: "said", "aria-live": "polite" },
        make("span", { class: "said-target" }, `${short(output.name, 60)}:`),
        " ",
        prediction,
      ),
      ...(page.model.sure ? [between] : []),
      place,
      scale,
    );
    const shareOf = (value) => (value - output.low) / (output.high - output.low || 1);
    const percentOf = (value) => 100 * Math.max(0, Math.min(shareOf(value), 1));
    return {
      element,
      update(value, ends, set) {
        setText(prediction, shown(value));
        const range = ends && `between ${amount(ends[0], model.unit)} and ${amount(ends[1], model.unit)}`;
        const band = hasRange ? " (the band below)" : "";
        const words = range ? `With ${percent(page.model.sure.level)} confidence ${range}${band}.` : "";
        setText(between, set ? labelWords(set, page.model.sure.level) : words);
        if (!hasRange) return;
        const share = shareOf(value);
        setStyle(mark, "left", `${percentOf(value).toFixed(2)}%`);
        setStyle(interval, "left", ends === null ? "0%" : `${percentOf(ends[0]).toFixed(2)}%`);
        setStyle(interval, "width", ends === null ? "0%" : `${(percentOf(ends[1]) - percentOf(ends[0])).toFixed(2)}%`);
        setText(
          place,
          share < 0 || share > 1
            ? `Outside the ${outside}.`
            : `${inside} from ${shown(output.low)} to ${shown(output.high)}.`,
        );
      },
    };
  });
  return {
    kicker: "The map says",
    elements: [...parts.map((part) => part.element), sure],
    update(view) {
      const { outputs } = view.result;
      const ends = isLearned(view) ? intervals(page.model, outputs) : null;
      const sets = isLearned(view) ? labelSets(page.model, outputs) : null;
      // The one interval of several quantiles is shown with the middle one.
      const endsOf = (k) => (ends?.length === 1 ? (k === outputs.length >> 1 ? ends[0] : null) : (ends?.[k] ?? null));
      parts.forEach((part, k) => part.update(outputs[k], endsOf(k), sets && sets[k]));
      setParts(sure, errorWords(model, view.edits.length > 0));
    },
  };
}

function labelWords(set, level) {
  const said = set.length > 1 ? "must leave it open" : `can say that it ${set[0] ? "applies" : "does not apply"}`;
  return `To be right in ${ofHundred(level)} of 100 new rows, the map ${said}.`;
}

const SHOWN_CHANGES = 6;

/** For a hand-made map: clamped concepts, the attractor, and the concepts that change most. */
function changes({ model }) {
  const prediction = make("p", { class: "said-words", "aria-live": "polite" });
  const ending = make("p", { class: "soft" });
  const lines = Array.from({ length: Math.min(SHOWN_CHANGES, model.concepts.length) }, () => {
    const name = make("span", { class: "bar-name" });
    const fill = make("span", { class: "fill" });
    const value = make("span", { class: "bar-value wide" });
    return { name, fill, value, element: make("li", {}, name, make("span", { class: "track both" }, fill), value) };
  });
  const list = make(
    "ul",
    { class: "bars", "aria-label": "Largest changes compared with the map without held concepts" },
    ...lines.map((line) => line.element),
  );
  return {
    kicker: "What happens",
    elements: [prediction, ending, list],
    update({ result, before, state }) {
      const held = Object.entries(state.clamp);
      const names = held.map(([i, value]) => `${short(model.concepts[i].name, 30)} at ${number(value)}`);
      setText(
        prediction,
        held.length
          ? `With ${listed(names)} held:`
          : "Nothing is held: move a slider to hold a concept and see what follows.",
      );
      setText(ending, endingWords(result));
      const last = result.outputs;
      const order = [...last.keys()]
        .filter((i) => !(i in state.clamp))
        .sort((a, b) => Math.abs(last[b] - before[b]) - Math.abs(last[a] - before[a]));
      const most = Math.max(...order.map((i) => Math.abs(last[i] - before[i])), 1e-9);
      lines.forEach((line, place) => {
        const i = order[place];
        const moved = i === undefined ? 0 : last[i] - before[i];
        setAttribute(line.element, "class", i === undefined ? "empty" : null);
        setText(line.name, i === undefined ? "" : short(model.concepts[i].name, 36));
        setText(
          line.value,
          i === undefined ? "" : `${fixed(before[i], 2)} → ${fixed(last[i], 2)} (${signedFixed(moved, 2)})`,
        );
        drawSigned(line.fill, Math.abs(moved) < 5e-7 ? 0 : moved / most);
      });
    },
  };
}

function endingWords(result) {
  const { kind, period, steps } = result.settled;
  if (kind === "cycle")
    return `The map cycles with a period of ${count(period, "step")} after ${count(steps, "step")}; means are shown.`;
  if (kind === "neither")
    return `The map has not come to rest after ${count(steps, "step")}; means of its last states are shown.`;
  return steps === 0 ? "The map is at rest." : `The map comes to rest after ${count(steps, "step")}.`;
}

/** Draw a bar from the middle, to the right if positive and to the left if negative; `share` is in [-1, 1]. */
function drawSigned(fill, share) {
  const size = Math.min(Math.abs(share), 1) * 50;
  setAttribute(fill, "class", share < 0 ? "fill down" : "fill up");
  setStyle(fill, "left", `${(share < 0 ? 50 - size : 50).toFixed(2)}%`);
  setStyle(fill, "width", `${size.toFixed(2)}%`);
}
