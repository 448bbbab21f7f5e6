// Opening and saving of files: by button or drop, as maps, pictures and Python code.

import { button, make, setAttribute } from "./dom.js";
import { fromMap, toMap } from "./board_doc.js";
import { shownEdges } from "./board_graph.js";
import { readMaps } from "./board_read.js";
import { toSvg } from "./board_picture.js";
import { Problem, t, tn } from "./board_text.js";
import { toEdges, toJson, toMatrix, toMmp, toPython } from "./board_write.js";

const ACCEPTED = ".mmp,.json,.csv,.tsv,.txt";

/** Return the buttons of files. */
export function filesPart(app) {
  const input = make("input", {
    type: "file",
    accept: ACCEPTED,
    multiple: true,
    hidden: true,
    id: "file",
    "aria-label": t("open"),
  });
  input.addEventListener("change", async () => {
    await openFiles(app, [...input.files]);
    input.value = "";
  });
  const kinds = [
    [t("asMmp"), () => save(app, "mmp", "application/xml", () => toMmp(mapOf(app, true)))],
    [t("asJson"), () => save(app, "json", "application/json", () => toJson(mapOf(app, false)))],
    [t("asPrior"), () => save(app, "prior.json", "application/json", () => toJson(priorOf(app)))],
    [t("asMatrix"), () => save(app, "csv", "text/csv", () => toMatrix(mapOf(app, false)))],
    [t("asEdges"), () => save(app, "edges.csv", "text/csv", () => toEdges(mapOf(app, false)))],
    [t("asSvg"), () => save(app, "svg", "image/svg+xml", () => pictureOf(app))],
    [t("asPng"), () => savePng(app)],
    [t("asPython"), () => copyPython(app)],
    [t("asPaper"), () => app.print("map")],
    [t("asReport"), () => app.print("report")],
  ];
  const menu = make(
    "div",
    { class: "menu", hidden: true, role: "group", "aria-label": t("save") },
    ...kinds.map(([text, run]) =>
      button(text, () => {
        toggle(false);
        run();
      }),
    ),
  );
  const opener = button(t("save"), () => toggle(menu.hidden), { "aria-expanded": "false", class: "main" });
  const toggle = (open) => {
    setAttribute(menu, "hidden", !open);
    setAttribute(opener, "aria-expanded", String(open));
    if (open) menu.querySelector("button").focus();
  };
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    toggle(false);
    opener.focus();
  });
  document.addEventListener(
    "pointerdown",
    ({ target }) => !menu.hidden && !target.closest(".save-box") && toggle(false),
  );
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer?.files.length) openFiles(app, [...event.dataTransfer.files]);
  });
  const fresh = button(t("newMap"), () => app.act({ do: "open", doc: app.emptyDoc() }) && app.opened(t("startedNew")));
  return [fresh, button(t("open"), () => input.click()), input, make("span", { class: "save-box" }, opener, menu)];
}

/** Read files; returns maps with their names, and tells the problems. */
export async function readAll(app, files) {
  const maps = [],
    problems = [];
  for (const file of files) {
    try {
      const bytes = file.size > 40_000_000 ? { length: file.size } : new Uint8Array(await file.arrayBuffer());
      maps.push(...readMaps(file.name, bytes).map((one) => ({ ...one, file: file.name })));
    } catch (error) {
      const words = error instanceof Problem ? error.message : t("unreadable", { problem: error.message });
      problems.push(t("cannotOpen", { file: file.name, problem: words }));
    }
  }
  app.notice(problems.join(" "));
  return maps;
}

/** Open one map in the board, or several as people. */
export async function openFiles(app, files) {
  const maps = await readAll(app, files);
  if (!maps.length) return;
  try {
    if (maps.length === 1) {
      app.act({ do: "open", doc: { ...fromMap(maps[0].map, app.board.doc.next), ...keptPeople(app, maps[0].map) } });
      app.opened(t("openedFile", { file: maps[0].file }));
    } else {
      app.act({ do: "addPeople", people: maps.map(({ name, map }) => ({ name, map })) });
      app.board.show({ tab: "people" });
      app.say(tn("openedPeople", maps.length));
    }
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    app.notice(t("cannotOpen", { file: maps[0].file, problem: error.message }));
  }
}

/** A file with its own people replaces those of the board; another map leaves them. */
function keptPeople({ board }, { details = {} }) {
  return details.people ? {} : { people: board.doc.people, same: board.doc.same };
}

/** Return the map to save, with drawn positions if the format needs them. */
function mapOf(app, placed) {
  if (!app.board.doc.concepts.length) throw new Problem("nothingToSave");
  return toMap(app.board.doc, { positions: placed ? app.positions() : null, workshop: !placed });
}

/** Return the selected concepts, or all, with the arrows between them: a prior for `cogmap fit`. */
function priorOf(app) {
  const { concepts } = app.board.ui;
  const { doc } = app.board;
  const kept = new Set(concepts.length ? concepts : doc.concepts.map(({ id }) => id));
  const { details: _, ...map } = toMap({
    ...doc,
    concepts: doc.concepts.filter(({ id }) => kept.has(id)),
    edges: doc.edges.filter(({ source, target }) => kept.has(source) && kept.has(target)),
    scenarios: [],
  });
  if (!map.concepts.length) throw new Problem("nothingToSave");
  return { ...map, details: {} };
}

function pictureOf(app) {
  if (!app.board.doc.concepts.length) throw new Problem("nothingToSave");
  const { doc, ui } = app.board;
  return toSvg({ ...doc, edges: shownEdges(doc, ui) }, app.graph.boxes(), app.graph.bounds());
}

/** Return the name of a file: that of the map, without signs that file systems do not allow. */
function fileName(app, ending) {
  const plain = app
    .title()
    .replace(/[\p{Cc}\p{Cf}<>:"/\\|?*]+/gu, " ")
    .trim()
    .replace(/^\.+/, "")
    .slice(0, 80);
  return `${plain || "map"}.${ending}`;
}

function save(app, ending, type, make) {
  try {
    download(fileName(app, ending), new Blob([make()], { type: `${type};charset=utf-8` }));
    app.notice("");
    app.say(t("savedFile", { file: fileName(app, ending) }));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    app.notice(t("cannotSave", { problem: error.message }));
  }
}

function download(name, blob) {
  const address = URL.createObjectURL(blob);
  make("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/** Save the picture as PNG, drawn on a canvas at twice its size. */
function savePng(app) {
  try {
    const { left, top, right, bottom } = app.graph.bounds();
    const scale = Math.min(2, 8000 / Math.max(right - left, bottom - top));
    const canvas = make("canvas", {
      width: Math.ceil(scale * (right - left)),
      height: Math.ceil(scale * (bottom - top)),
    });
    const picture = new Image();
    picture.onload = () => {
      canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => download(fileName(app, "png"), blob), "image/png");
    };
    picture.onerror = () => app.notice(t("cannotSave", { problem: t("noPicture") }));
    picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(pictureOf(app))}`;
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    app.notice(t("cannotSave", { problem: error.message }));
  }
}

/** Copy Python code; if the browser forbids it, show the code to copy by hand. */
async function copyPython(app) {
  const { doc } = app.board;
  if (!doc.concepts.length) return app.notice(t("cannotSave", { problem: t("nothingToSave") }));
  const names = new Map(doc.concepts.map(({ id, name }) => [id, name]));
  const scenarios = doc.scenarios
    .map(({ name, clamp }) => ({
      name,
      clamp: Object.entries(clamp).map(([id, state]) => [names.get(Number(id)), state]),
    }))
    .filter(({ clamp }) => clamp.length);
  const code = toPython(toMap(doc), { rule: doc.rule, keep: doc.keep, scenarios });
  app.showCode(code);
  try {
    await navigator.clipboard.writeText(code);
    app.say(t("copied"));
  } catch {
    app.say(t("copyByHand"));
  }
}
