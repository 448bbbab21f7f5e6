// Several people: their maps, names that mean the same, and the merged map.

import { button, make, table } from "./dom.js";
import { changesBox, disagreementBox, similarityBox } from "./board_compare.js";
import { fromMap, toMap } from "./board_doc.js";
import { combine, credibility, matchNames, unified } from "./board_experts.js";
import { readAll } from "./board_files.js";
import { choice } from "./board_panel.js";
import { Problem, t, tn } from "./board_text.js";
import { asNumber } from "./board_words.js";
import { fixed } from "./words.js";

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
    translations = {}; // the user's translations

  function update({ doc }) {
    if (
      drawn?.people === doc.people &&
      drawn.same === doc.same &&
      drawn.edges === doc.edges &&
      drawn.concepts === doc.concepts
    )
      return;
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
    const input = make("input", {
      type: "file",
      accept: ".mmp,.json,.csv,.tsv,.txt",
      multiple: true,
      hidden: true,
      id: "people-files",
      "aria-label": t("addPeople"),
    });
    input.addEventListener("change", async () => {
      const maps = await readAll(app, [...input.files]);
      if (maps.length) app.act({ do: "addPeople", people: maps.map(({ name, map }) => ({ name, map })) });
    });
    const own = button(
      t("addBoardMap"),
      () =>
        app.act({
          do: "addPeople",
          people: [
            {
              name: app.title() || t("thisBoard"),
              map: toMap(app.board.doc, { positions: app.positions(), workshop: false }),
            },
          ],
        }),
      { "data-key": "add-own" },
    );
    own.disabled = !app.board.doc.concepts.length;
    return make(
      "div",
      { class: "buttons" },
      button(t("addPeople"), () => input.click(), { class: "main" }),
      input,
      own,
    );
  }

  function peopleTable(doc, maps) {
    const trust = credibility(maps);
    const rows = doc.people.map(({ name, weight, map }, at) => {
      const called = make("input", {
        type: "text",
        class: "entry",
        value: name,
        "aria-label": t("personName"),
        "data-key": `person ${at}`,
        autocomplete: "off",
      });
      called.addEventListener("change", () => app.act({ do: "person", at, name: called.value.trim() || name }));
      const entry = make("input", {
        type: "text",
        class: "entry number",
        value: String(weight),
        "aria-label": t("weightOf", { name }),
        "data-key": `share ${at}`,
        autocomplete: "off",
      });
      entry.addEventListener("change", () => {
        if (!app.act({ do: "person", at, weight: asNumber(entry.value) ?? NaN })) entry.value = String(weight);
      });
      return make(
        "tr",
        {},
        make(
          "td",
          {},
          called,
          make(
            "span",
            { class: "soft" },
            ` ${tn("countConcepts", map.concepts.length)}, ${tn("countArrows", map.edges.filter((edge) => edge.weight).length)}`,
          ),
        ),
        make("td", {}, entry),
        make("td", { class: "number" }, fixed(trust[at], 2)),
        make(
          "td",
          { class: "row-buttons" },
          button(t("openMap"), () => openPerson(at), { class: "small", "aria-label": t("openNamed", { name }) }),
          button(t("remove"), () => app.act({ do: "removePerson", at }), {
            class: "small",
            "aria-label": t("removeNamed", { name }),
          }),
        ),
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
    const proposals = matchNames(
      doc.people.map(({ map }) => map.concepts.map(({ name }) => name)),
      translations,
    );
    const known = new Set(doc.same.map((names) => JSON.stringify(names)));
    const items = proposals.map(({ names, why }) => {
      const key = JSON.stringify(names);
      const box = make("input", { type: "checkbox", "data-key": `same ${key}` });
      box.checked = known.has(key);
      box.addEventListener("change", () => {
        const others = doc.same.filter((one) => !one.some((name) => names.includes(name)));
        app.act({ do: "same", same: box.checked ? [...others, names] : others });
      });
      return make(
        "li",
        {},
        make(
          "label",
          { class: "check" },
          box,
          `${names.map((name) => `“${name}”`).join(" = ")} `,
          make("span", { class: "soft" }, t(`why_${why}`)),
        ),
      );
    });
    const words = make("textarea", {
      rows: 3,
      "aria-label": t("translations"),
      placeholder: t("translationsExample"),
      "data-key": "translations",
    });
    words.value = Object.entries(translations)
      .map(([a, b]) => `${a}, ${b}`)
      .join("\n");
    words.addEventListener("change", () => {
      translations = Object.fromEntries(
        words.value
          .split(/\r?\n/)
          .map((line) => line.split(/[,;\t=]/).map((cell) => cell.trim()))
          .filter(([a, b]) => a && b),
      );
      redraw();
    });
    const all = button(t("confirmAll"), () => app.act({ do: "same", same: proposals.map(({ names }) => names) }), {
      class: "small",
    });
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
      const shares =
        weighing === "credibility"
          ? credibility(maps)
          : weighing === "equal"
            ? maps.map(() => 1)
            : doc.people.map(({ weight }) => weight);
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
      choice(
        t("mergeHow"),
        ["mean", "median", "fuzzy"].map((key) => [key, t(`how_${key}`)]),
        how,
        (value) => (how = value),
        { "data-key": "how" },
      ),
      choice(
        t("mergeWeights"),
        ["own", "equal", "credibility"].map((key) => [key, t(`weights_${key}`)]),
        weighing,
        (value) => (weighing = value),
        { "data-key": "weighing" },
      ),
      make("label", { class: "check" }, only, t("onlyDrawn")),
      button(t("openMerged"), run, { class: "main", "data-key": "merge" }),
    );
  }
  return { element, update };
}
