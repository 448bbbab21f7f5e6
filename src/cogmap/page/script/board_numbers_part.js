// Structural indices and feedback loops beside the map.

import { button, make, table } from "./dom.js";
import { weightsOf } from "./board_model.js";
import { feedbackLoops, indicesOf } from "./board_numbers.js";
import { inReport, t, tn } from "./board_text.js";
import { fixed, number, short, signedFixed } from "./words.js";

const LOOPS_SHOWN = 20;

export function numbersPart(app) {
  const element = make("div", { class: "numbers" });
  let drawn = null;

  function update({ doc }) {
    if (drawn === doc) return;
    drawn = doc;
    element.replaceChildren(...numbersOf(doc, (id) => app.reveal(id)));
  }
  return { element, update };
}

/** Return the indices and loops of a document as elements; `reveal` makes names buttons. */
export function numbersOf(doc, reveal = null) {
  const n = doc.concepts.length;
  if (!n) return [make("p", { class: "soft" }, t("nothingYet"))];
  const weights = weightsOf(doc);
  const found = indicesOf(weights, n);
  const count = (kind) => found.kinds.filter((one) => one === kind).length;
  const facts = [
    [t("concepts"), n],
    [t("arrows"), found.edges],
    [t("density"), number(found.density)],
    [t("transmitters"), count("transmitter")],
    [t("receivers"), count("receiver")],
    [t("ordinaries"), count("ordinary")],
    [t("complexity"), found.complexity === null ? t("noTransmitters") : number(found.complexity)],
    [t("hierarchy"), number(found.hierarchy)],
  ];
  const order = [...found.centrality.keys()].sort((a, b) => found.centrality[b] - found.centrality[a]);
  const rows = order.map((i) => {
    const { id, name } = doc.concepts[i];
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, reveal ? button(short(name, 28), () => reveal(id), { class: "quiet" }) : name),
      ...["indegree", "outdegree", "centrality"].map((key) => make("td", { class: "number" }, fixed(found[key][i], 2))),
      make("td", {}, t(`kind_${found.kinds[i]}`)),
    );
  });
  const loops = feedbackLoops(weights, n);
  const positive = loops.loops.filter(({ gain }) => gain > 0).length;
  const names = (path) => path.map((i) => short(doc.concepts[i].name, 22)).join(" → ");
  return [
    make(
      "dl",
      { class: "facts" },
      ...facts.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, String(value)))),
    ),
    table(
      reveal ? t("tabNumbers") : inReport("tabNumbers"),
      [t("concept"), t("indegree"), t("outdegree"), t("centrality"), t("kind")],
      make("tbody", {}, ...rows),
    ),
    make("h3", {}, t("loops")),
    make(
      "p",
      { class: "soft" },
      `${tn("loopCount", loops.loops.length, { positive, negative: loops.loops.length - positive })} ${loops.complete ? t("loopsAll") : t("loopsUpTo", { length: loops.completeTo })}`,
    ),
    make(
      "ol",
      { class: "loops" },
      ...loops.loops
        .slice(0, LOOPS_SHOWN)
        .map(({ path, gain }) =>
          make(
            "li",
            {},
            make("span", { class: `number ${gain > 0 ? "up-text" : "down-text"}` }, signedFixed(gain, 3)),
            ` ${gain > 0 ? t("reinforcing") : t("balancing")}: ${names(path)}`,
          ),
        ),
    ),
  ];
}
