// Several people: names that mean the same, the merged map, where they disagree, who thinks alike, and what changed.

import { button, make, setText, table } from "./dom.js";
import { fromMap, toMap } from "./board_doc.js";
import { clustersOf, combine, credibility, disagreement, matchNames, similarityMatrix, unified } from "./board_experts.js";
import { readAll } from "./board_files.js";
import { choice } from "./board_panel.js";
import { Problem, t, tn } from "./board_text.js";
import { asNumber } from "./board_words.js";
import { fixed, number, short, signed, signedFixed } from "./words.js";

const SHOWN = 12;

/** Return the maps of the people, with one name for names that mean the same. */
export function peopleMaps({ people, same }) {
  return people.map(({ map }) => unified(map, same));
}

export function peoplePart(app) {
  const element = make("div", { class: "people" });
  let drawn = null,
    how = "mean",
    weighing = "own",
    onlyDrawn = false,
    table_ = {}; // the user's translations

  function update({ doc }) {
    if (drawn?.people === doc.people && drawn.same === doc.same && drawn.edges === doc.edges && drawn.concepts === doc.concepts) return;
    drawn = doc;
    redraw();
  }

  function redraw() {
    const { doc } = app.board;
    const focused = element.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    app.look({ arrows: null });
    try {
      element.replaceChildren(...parts(doc).filter(Boolean));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      element.replaceChildren(make("p", { class: "down-text" }, error.message), adding(), matching(doc));
    }
    if (focused) element.querySelector(`[data-key="${CSS.escape(focused)}"]`)?.focus();
  }

  function parts(doc) {
    if (!doc.people.length) return [make("p", { class: "soft" }, t("peopleHint")), adding(), changesBox(app, doc)];
    const maps = peopleMaps(doc);
    return [
      adding(),
      peopleTable(doc, maps),
      matching(doc),
      merging(doc, maps),
      doc.people.length > 1 ? disagreementBox(app, doc, maps) : null,
      doc.people.length > 1 ? similarityBox(doc, maps) : null,
      changesBox(app, doc),
    ];
  }

  function adding() {
    const input = make("input", { type: "file", accept: ".mmp,.json,.csv,.tsv,.txt", multiple: true, hidden: true, id: "people-files", "aria-label": t("addPeople") });
    input.addEventListener("change", async () => {
      const maps = await readAll(app, [...input.files]);
      if (maps.length) app.act({ do: "addPeople", people: maps.map(({ name, map }) => ({ name, map })) });
    });
    const own = button(t("addBoardMap"), () => app.act({ do: "addPeople", people: [{ name: app.title() || t("thisBoard"), map: toMap(app.board.doc, { positions: app.positions(), workshop: false }) }] }), { "data-key": "add-own" });
    own.disabled = !app.board.doc.concepts.length;
    return make("div", { class: "buttons" }, button(t("addPeople"), () => input.click(), { class: "main" }), input, own);
  }

  function peopleTable(doc, maps) {
    const trust = credibility(maps);
    const rows = doc.people.map(({ name, weight, map }, at) => {
      const called = make("input", { type: "text", class: "entry", value: name, "aria-label": t("personName"), "data-key": `person ${at}`, autocomplete: "off" });
      called.addEventListener("change", () => app.act({ do: "person", at, name: called.value.trim() || name }));
      const entry = make("input", { type: "text", class: "entry number", value: String(weight), "aria-label": t("weightOf", { name }), "data-key": `share ${at}`, autocomplete: "off" });
      entry.addEventListener("change", () => {
        if (!app.act({ do: "person", at, weight: asNumber(entry.value) ?? NaN })) entry.value = String(weight);
      });
      return make(
        "tr",
        {},
        make("td", {}, called, make("span", { class: "soft" }, ` ${tn("countConcepts", map.concepts.length)}, ${tn("countArrows", map.edges.filter((edge) => edge.weight).length)}`)),
        make("td", {}, entry),
        make("td", { class: "number" }, fixed(trust[at], 2)),
        make("td", { class: "row-buttons" }, button(t("openMap"), () => openPerson(at), { class: "small", "aria-label": t("openNamed", { name }) }), button(t("remove"), () => app.act({ do: "removePerson", at }), { class: "small", "aria-label": t("removeNamed", { name }) })),
      );
    });
    return table(t("tabPeople"), [t("person"), t("share"), t("credibility"), t("actions")], make("tbody", {}, ...rows));
  }

  function openPerson(at) {
    const { doc } = app.board;
    openMap(fromMap(unified(doc.people[at].map, doc.same), doc.next), doc.people[at].name);
  }

  function openMap(other, name) {
    const { people, same } = app.board.doc;
    app.act({ do: "open", doc: { ...other, people, same } });
    app.opened(t("openedFile", { file: name }));
    app.board.show({ tab: "people", view: "map" });
  }

  function matching(doc) {
    const proposals = matchNames(doc.people.map(({ map }) => map.concepts.map(({ name }) => name)), table_);
    const known = new Set(doc.same.map((names) => JSON.stringify(names)));
    const items = proposals.map(({ names, why }) => {
      const key = JSON.stringify(names);
      const box = make("input", { type: "checkbox", "data-key": `same ${key}` });
      box.checked = known.has(key);
      box.addEventListener("change", () => {
        const others = doc.same.filter((one) => !one.some((name) => names.includes(name)));
        app.act({ do: "same", same: box.checked ? [...others, names] : others });
      });
      return make("li", {}, make("label", { class: "check" }, box, `${names.map((name) => `“${name}”`).join(" = ")} `, make("span", { class: "soft" }, t(`why_${why}`))));
    });
    const words = make("textarea", { rows: 3, "aria-label": t("translations"), placeholder: t("translationsExample"), "data-key": "translations" });
    words.value = Object.entries(table_).map(([a, b]) => `${a}, ${b}`).join("\n");
    words.addEventListener("change", () => {
      table_ = Object.fromEntries(words.value.split(/\r?\n/).map((line) => line.split(/[,;\t=]/).map((cell) => cell.trim())).filter(([a, b]) => a && b));
      redraw();
    });
    const all = button(t("confirmAll"), () => app.act({ do: "same", same: proposals.map(({ names }) => names) }), { class: "small" });
    return make(
      "details",
      { open: true },
      make("summary", {}, tn("matchCount", proposals.length)),
      make("ul", { class: "matches" }, ...items),
      proposals.length ? all : null,
      make("label", { class: "field" }, make("span", {}, t("translations")), words),
    );
  }

  function merging(doc, maps) {
    const run = () => {
      const shares = weighing === "credibility" ? credibility(maps) : weighing === "equal" ? maps.map(() => 1) : doc.people.map(({ weight }) => weight);
      try {
        const merged = combine(maps, how, shares, onlyDrawn);
        merged.details = { ...merged.details, name: t("mergedName", { count: maps.length }) };
        openMap(fromMap(merged, doc.next), t("mergedName", { count: maps.length }));
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        app.notice(error.message);
      }
    };
    const only = make("input", { type: "checkbox", onchange: () => (onlyDrawn = only.checked), "data-key": "only" });
    only.checked = onlyDrawn;
    return make(
      "div",
      { class: "merging" },
      make("h3", {}, t("merge")),
      choice(t("mergeHow"), ["mean", "median", "fuzzy"].map((key) => [key, t(`how_${key}`)]), how, (value) => (how = value), { "data-key": "how" }),
      choice(t("mergeWeights"), ["own", "equal", "credibility"].map((key) => [key, t(`weights_${key}`)]), weighing, (value) => (weighing = value), { "data-key": "weighing" }),
      make("label", { class: "check" }, only, t("onlyDrawn")),
      button(t("openMerged"), run, { class: "main", "data-key": "merge" }),
    );
  }
  return { element, update };
}

/** Show where people disagree, as a list and as colours of the arrows, and what each person may discuss. */
function disagreementBox(app, doc, maps) {
  const edges = disagreement(maps);
  const most = Math.max(1e-9, ...edges.map(({ deviation }) => deviation));
  const paint = make("input", { type: "checkbox", "data-key": "paint" });
  paint.addEventListener("change", () => {
    const ids = new Map(app.board.doc.concepts.map(({ id, name }) => [name, id]));
    const level = (deviation) => Math.min(3, Math.floor((4 * deviation) / most));
    const arrows = new Map(
      edges.map(({ source, target, deviation, drawn }) => [`${ids.get(source)} ${ids.get(target)}`, { class: `differs differs-${level(deviation)}`, words: t("differsWords", { deviation: fixed(deviation, 2), drawn, count: maps.length }) }]),
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
      const worst = differences.reduce((best, one) => (Math.abs(one.own - one.others) > Math.abs(best.own - best.others) ? one : best), differences[0]);
      if (!worst || worst.own === worst.others) return make("li", {}, t("consensusNone", { name }));
      return make("li", {}, t("consensusLine", { name, source: worst.edge.source, target: worst.edge.target, own: worst.own ? signed(worst.own, 2) : t("none"), others: signed(worst.others, 2) }));
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
  const groups = [...new Set(labels)].map((label) => doc.people.filter((_, k) => labels[k] === label).map(({ name }) => name).join(", "));
  return make(
    "details",
    { open: true, class: "similarity" },
    make("summary", {}, t("similarity")),
    table(caption, [t("person"), ...doc.people.map(({ name }) => short(name, 16)), t("clusterHeading")], make("tbody", {}, ...rows)),
    make("ul", {}, ...groups.map((names, k) => make("li", {}, t("clusterNames", { number: k + 1, names })))),
  );
}

/** Compare the map of the board with another, arrow by arrow: a prior with the learned map, or two people. */
function changesBox(app, doc) {
  const result = make("div", {});
  const input = make("input", { type: "file", accept: ".mmp,.json,.csv,.tsv,.txt", hidden: true, id: "other-file", "aria-label": t("compareWith") });
  input.addEventListener("change", async () => {
    const [other] = await readAll(app, [...input.files].slice(0, 1));
    if (other) result.replaceChildren(changesTable(toMap(app.board.doc), other.map, other.name));
  });
  const compare = button(t("compareWith"), () => input.click(), { "data-key": "compare" });
  compare.disabled = !doc.concepts.length;
  if (app.payload.prior && doc.concepts.length) result.append(changesTable(app.payload.prior, among(toMap(doc), app.payload.prior), t("learned")));
  return make("details", { open: Boolean(app.payload.prior) }, make("summary", {}, t("whatChanged")), compare, input, result);
}

/** Return a learned map with the arrows between concepts of its prior, without the memory of features. */
function among(map, prior) {
  const names = new Set(prior.concepts.map(({ name }) => name));
  const drawn = new Set(prior.edges.map(({ source, target }) => JSON.stringify([source, target])));
  const kept = ({ source, target }) => source !== target || drawn.has(JSON.stringify([source, target]));
  return { ...map, edges: map.edges.filter((edge) => names.has(edge.source) && names.has(edge.target) && kept(edge)) };
}

export function changesTable(before, after, name) {
  const weights = (map) => new Map(map.edges.map(({ source, target, weight }) => [JSON.stringify([source, target]), weight]));
  const [old, now] = [weights(before), weights(after)];
  const keys = [...new Set([...old.keys(), ...now.keys()])]
    .map((key) => ({ key, from: old.get(key) ?? 0, to: now.get(key) ?? 0 }))
    .filter(({ from, to }) => from !== to)
    .sort((a, b) => Math.abs(b.to - b.from) - Math.abs(a.to - a.from));
  const rows = keys.slice(0, 200).map(({ key, from, to }) => {
    const [source, target] = JSON.parse(key);
    const kind = from === 0 ? "added" : to === 0 ? "dropped" : Math.sign(from) !== Math.sign(to) ? "turned" : Math.abs(to) > Math.abs(from) ? "stronger" : "weaker";
    return make("tr", {}, make("th", { scope: "row" }, `${short(source, 22)} → ${short(target, 22)}`), make("td", { class: "number" }, number(from)), make("td", { class: "number" }, number(to)), make("td", {}, t(`change_${kind}`)));
  });
  const heading = make("p", { class: "soft" });
  setText(heading, tn("changedArrows", keys.length));
  return make("div", {}, heading, table(t("whatChanged"), [t("arrow"), t("before"), name, t("change")], make("tbody", {}, ...rows)));
}
