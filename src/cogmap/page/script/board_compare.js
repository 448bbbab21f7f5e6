// Several maps side by side: where people disagree, who thinks alike, and what differs arrow by arrow.

import { button, make, setText, table } from "./dom.js";
import { toMap } from "./board_doc.js";
import { clustersOf, disagreement, similarityMatrix } from "./board_experts.js";
import { readAll } from "./board_files.js";
import { t, tn } from "./board_text.js";
import { fixed, number, short, signed, signedFixed } from "./words.js";

const SHOWN = 12; // arrows on which people disagree

/** Show where people disagree, as a list and as colours of the arrows, and what each person may discuss. */
export function disagreementBox(app, doc, maps) {
  const edges = disagreement(maps);
  const most = Math.max(1e-9, ...edges.map(({ deviation }) => deviation));
  const paint = make("input", { type: "checkbox", "data-key": "paint" });
  paint.addEventListener("change", () => {
    const ids = new Map(app.board.doc.concepts.map(({ id, name }) => [name, id]));
    const level = (deviation) => Math.min(3, Math.floor((4 * deviation) / most));
    const arrows = new Map(
      edges.map(({ source, target, deviation, drawn }) => [
        `${ids.get(source)} ${ids.get(target)}`,
        {
          class: `differs differs-${level(deviation)}`,
          words: t("differsWords", { deviation: fixed(deviation, 2), drawn, count: maps.length }),
        },
      ]),
    );
    app.look({ arrows: paint.checked ? arrows : null });
  });
  return make(
    "details",
    { open: true },
    make("summary", {}, t("disagreement")),
    make("label", { class: "check" }, paint, t("paintDisagreement")),
    disagreementTable(edges.slice(0, SHOWN), maps.length),
    make("h3", {}, t("consensus")),
    consensusList(doc, edges),
  );
}

export function disagreementTable(edges, count, caption = t("disagreement")) {
  const rows = edges.map((edge) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, `${short(edge.source, 22)} → ${short(edge.target, 22)}`),
      make("td", { class: "number" }, fixed(edge.deviation, 2)),
      make("td", { class: "number" }, `${signedFixed(edge.low, 2)} … ${signedFixed(edge.high, 2)}`),
      make("td", {}, `${t("drawnBy", { drawn: edge.drawn, count })}${edge.opposed ? `, ${t("opposed")}` : ""}`),
    ),
  );
  return table(caption, [t("arrow"), t("deviation"), t("weights"), t("drawnByHeading")], make("tbody", {}, ...rows));
}

/** Return for each person the arrow that differs most from the mean of the others. */
export function consensusList(doc, edges) {
  return make(
    "ul",
    { class: "consensus" },
    ...doc.people.map(({ name }, k) => {
      const differences = edges.map((edge) => {
        const others = edge.values.filter((_, other) => other !== k);
        return { edge, own: edge.values[k], others: others.reduce((sum, value) => sum + value, 0) / others.length };
      });
      const worst = differences.reduce(
        (best, one) => (Math.abs(one.own - one.others) > Math.abs(best.own - best.others) ? one : best),
        differences[0],
      );
      if (!worst || worst.own === worst.others) return make("li", {}, t("consensusNone", { name }));
      return make(
        "li",
        {},
        t("consensusLine", {
          name,
          source: worst.edge.source,
          target: worst.edge.target,
          own: worst.own ? signed(worst.own, 2) : t("none"),
          others: signed(worst.others, 2),
        }),
      );
    }),
  );
}

export function similarityBox(doc, maps, caption = t("similarity")) {
  const similar = similarityMatrix(maps);
  const labels = clustersOf(similar);
  const rows = doc.people.map(({ name }, a) =>
    make(
      "tr",
      {},
      make("th", { scope: "row" }, name),
      ...similar[a].map((share) => {
        const cell = make("td", { class: "number" }, fixed(share, 2));
        cell.style.setProperty("--share", Math.max(share, 0).toFixed(2));
        return cell;
      }),
      make("td", {}, t("cluster", { number: labels[a] })),
    ),
  );
  const groups = [...new Set(labels)].map((label) =>
    doc.people
      .filter((_, k) => labels[k] === label)
      .map(({ name }) => name)
      .join(", "),
  );
  return make(
    "details",
    { open: true, class: "similarity" },
    make("summary", {}, t("similarity")),
    table(
      caption,
      [t("person"), ...doc.people.map(({ name }) => short(name, 16)), t("clusterHeading")],
      make("tbody", {}, ...rows),
    ),
    make("ul", {}, ...groups.map((names, k) => make("li", {}, t("clusterNames", { number: k + 1, names })))),
  );
}

/** Compare the map of the board with another, arrow by arrow: a prior with the learned map, or two people. */
export function changesBox(app, doc) {
  const result = make("div", {});
  const input = make("input", {
    type: "file",
    accept: ".mmp,.json,.csv,.tsv,.txt",
    hidden: true,
    id: "other-file",
    "aria-label": t("compareWith"),
  });
  input.addEventListener("change", async () => {
    const [other] = await readAll(app, [...input.files].slice(0, 1));
    if (other) result.replaceChildren(changesTable(toMap(app.board.doc), other.map, other.name));
  });
  const compare = button(t("compareWith"), () => input.click(), { "data-key": "compare" });
  compare.disabled = !doc.concepts.length;
  if (app.payload.prior && doc.concepts.length)
    result.append(changesTable(app.payload.prior, among(toMap(doc), app.payload.prior), t("learned")));
  return make(
    "details",
    { open: Boolean(app.payload.prior) },
    make("summary", {}, t("whatChanged")),
    compare,
    input,
    result,
  );
}

/** Return a learned map with the arrows between concepts of its prior, without the memory of features. */
function among(map, prior) {
  const names = new Set(prior.concepts.map(({ name }) => name));
  const drawn = new Set(prior.edges.map(({ source, target }) => JSON.stringify([source, target])));
  const kept = ({ source, target }) => source !== target || drawn.has(JSON.stringify([source, target]));
  return { ...map, edges: map.edges.filter((edge) => names.has(edge.source) && names.has(edge.target) && kept(edge)) };
}

function changesTable(before, after, name) {
  const weights = (map) =>
    new Map(map.edges.map(({ source, target, weight }) => [JSON.stringify([source, target]), weight]));
  const [old, now] = [weights(before), weights(after)];
  const keys = [...new Set([...old.keys(), ...now.keys()])]
    .map((key) => ({ key, from: old.get(key) ?? 0, to: now.get(key) ?? 0 }))
    .filter(({ from, to }) => from !== to)
    .sort((a, b) => Math.abs(b.to - b.from) - Math.abs(a.to - a.from));
  const rows = keys.slice(0, 200).map(({ key, from, to }) => {
    const [source, target] = JSON.parse(key);
    const kind =
      from === 0
        ? "added"
        : to === 0
          ? "dropped"
          : Math.sign(from) !== Math.sign(to)
            ? "turned"
            : Math.abs(to) > Math.abs(from)
              ? "stronger"
              : "weaker";
    return make(
      "tr",
      {},
      make("th", { scope: "row" }, `${short(source, 22)} → ${short(target, 22)}`),
      make("td", { class: "number" }, number(from)),
      make("td", { class: "number" }, number(to)),
      make("td", {}, t(`change_${kind}`)),
    );
  });
  const heading = make("p", { class: "soft" });
  setText(heading, tn("changedArrows", keys.length));
  return make(
    "div",
    {},
    heading,
    table(t("whatChanged"), [t("arrow"), t("before"), name, t("change")], make("tbody", {}, ...rows)),
  );
}
