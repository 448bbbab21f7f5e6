// The report: the map, its numbers, scenarios, people, merged map and disagreement as one printable page.

import { button, make } from "./dom.js";
import { fromMap } from "./board_doc.js";
import { combine, disagreement } from "./board_experts.js";
import { shownEdges, sizeOf } from "./board_graph.js";
import { boxOf, positionsOf } from "./board_layout.js";
import { numbersOf } from "./board_numbers_part.js";
import { consensusList, disagreementTable, similarityBox } from "./board_compare.js";
import { peopleMaps } from "./board_people_part.js";
import { toSvg } from "./board_picture.js";
import { barsOf } from "./board_charts.js";
import { endingWords, proofWords, resultsOf } from "./board_scenarios.js";
import { clampOf } from "./board_model.js";
import { inReport, Problem, t } from "./board_text.js";
import { number, signedFixed } from "./words.js";

export function reportPart(app) {
  const element = make("div", { class: "report" });
  let drawn = null;

  function update({ doc }) {
    if (drawn === doc) return;
    drawn = doc;
    element.replaceChildren(
      make(
        "div",
        { class: "buttons" },
        button(t("print"), () => app.print("report"), { class: "main" }),
      ),
      make("h2", {}, app.title() || t("untitled")),
      ...parts(app, doc).filter(Boolean),
    );
  }
  return { element, update };
}

function parts(app, doc) {
  if (!doc.concepts.length && !doc.people.length) return [make("p", { class: "soft" }, t("nothingYet"))];
  const about = ["author", "description"].filter((key) => typeof doc.details[key] === "string");
  return [
    ...about.map((key) => make("p", {}, doc.details[key])),
    ...(doc.concepts.length
      ? [
          make("p", { class: "soft" }, sizeOf(doc)),
          picture(doc, app.positions()),
          make("h3", {}, t("tabNumbers")),
          ...numbersOf(doc),
          ...scenariosOf(doc),
        ]
      : []),
    ...peopleOf(doc),
  ];
}

/** Return the picture of a document as an inline image. */
function picture(whole, places) {
  const doc = { ...whole, edges: shownEdges(whole, { concepts: [], edge: null }) };
  const boxes = new Map(
    doc.concepts.map(({ id, name }) => {
      const [x, y] = places.get(id);
      return [id, { ...boxOf(name), x, y }];
    }),
  );
  const all = [...boxes.values()];
  const bounds = {
    left: Math.min(...all.map(({ x, width }) => x - width / 2)) - 30,
    top: Math.min(...all.map(({ y, height }) => y - height / 2)) - 40,
    right: Math.max(...all.map(({ x, width }) => x + width / 2)) + 40,
    bottom: Math.max(...all.map(({ y, height }) => y + height / 2)) + 30,
  };
  const title = String(doc.details.name ?? t("viewMap"));
  return make("img", {
    class: "report-map",
    alt: title,
    src: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(toSvg(doc, boxes, bounds, title))}`,
  });
}

function scenariosOf(doc) {
  const all = resultsOf(doc);
  if (!doc.scenarios.length || !all.model) return [];
  const names = new Map(doc.concepts.map(({ id, name }) => [id, name]));
  return [
    make("h3", {}, t("tabScenarios")),
    ...doc.scenarios.map((scenario, k) => {
      const held = Object.entries(scenario.clamp).map(([id, state]) => `${names.get(Number(id))} = ${number(state)}`);
      const wanted = Object.entries(scenario.desired).map(([id, direction]) => {
        const i = doc.concepts.findIndex((one) => one.id === Number(id));
        return t("wanted", {
          name: names.get(Number(id)),
          direction: direction > 0 ? t("increase") : t("decrease"),
          change: signedFixed(all.results[k].change[i], 3),
        });
      });
      return make(
        "div",
        { class: "report-scenario" },
        make("h4", {}, scenario.name),
        make("p", {}, held.length ? t("heldWords", { held: held.join(", ") }) : t("heldNothing")),
        make(
          "p",
          { class: "soft" },
          `${endingWords(all.results[k].outcome)} ${proofWords(doc, all, clampOf(doc, scenario))}`,
        ),
        ...wanted.map((words) => make("p", {}, words)),
      );
    }),
    barsOf(doc, all),
  ];
}

function peopleOf(doc) {
  if (!doc.people.length) return [];
  try {
    const maps = peopleMaps(doc);
    const drawn = (map) => picture(fromMap(map), positionsOf(fromMap(map), new Map()));
    const edges = disagreement(maps);
    return [
      make("h3", {}, t("tabPeople")),
      ...doc.people.map(({ name }, k) => make("figure", {}, make("figcaption", {}, name), drawn(maps[k]))),
      ...(maps.length > 1
        ? [
            make("h3", {}, t("mergedName", { count: maps.length })),
            drawn(
              combine(
                maps,
                "mean",
                doc.people.map(({ weight }) => weight),
              ),
            ),
            make("h3", {}, t("disagreement")),
            disagreementTable(edges.slice(0, 20), maps.length, inReport("disagreement")),
            consensusList(doc, edges),
            similarityBox(doc, maps, inReport("similarity")),
          ]
        : []),
    ];
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return [make("p", { class: "down-text" }, error.message)];
  }
}
