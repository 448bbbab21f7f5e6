// Sharing: link, Python code, files and printing.

import { bodyOf, button, make, setText } from "./dom.js";
import { toJson, toMapCsv, toMmp, toRowCsv, toStatesCsv } from "./files.js";
import { toSvg } from "./svg_file.js";
import { toPython } from "./python.js";
import { changedWords } from "./changed.js";
import { count } from "./words.js";

/** Say which rows of the data are in the file. */
function rowsWords({ model, rows }) {
  if (model.kind === "map") return "";
  if (rows.length === 0) return "The file contains no rows of the data.";
  return `The file contains ${count(rows.length, "row")} of the data. Anyone with the file has them; “cogmap fit --page-rows 0” leaves them out.`;
}

export function sharePart(page) {
  const { model, store } = page;
  const status = make("p", { class: "soft", role: "status" });
  const code = make("pre", { class: "code", tabindex: "0", "aria-label": "The same in Python" });
  const plainStem = (model.title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "map").slice(0, 60);

  async function copy(text, name) {
    try {
      await navigator.clipboard.writeText(text);
      setText(status, `${name} is copied.`);
    } catch {
      setText(status, `${name} could not be copied: this browser does not allow it for this page.`);
    }
  }
  const changed = () => changedWords(page.view);
  function save(ending, kind, text) {
    const stem = changed() ? `${plainStem}-changed` : plainStem;
    const link = make("a", {
      href: URL.createObjectURL(new Blob([text], { type: kind })),
      download: `${stem}${ending}`,
    });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    setText(status, `${stem}${ending} is saved.`);
  }

  page.save = save;
  const files = [
    [
      "Picture (SVG)",
      () => {
        page.graph.update(page.view); // the simple view does not keep it up to date
        save(".svg", "image/svg+xml", toSvg(page.graph, model, changed()));
      },
    ],
    ["Map as JSON", () => save(".json", "application/json", toJson(page.view.model, changed()))],
    ["Map as CSV", () => save(".csv", "text/csv", toMapCsv(page.view.model))],
    ["Mental Modeler (.mmp)", () => save(".mmp", "application/xml", toMmp(page.view.model, changed()))],
    ["States as CSV", () => save("-states.csv", "text/csv", toStatesCsv(page, page.view, changed()))],
    ...(model.kind === "map"
      ? []
      : [["This row as CSV", () => save("-row.csv", "text/csv", toRowCsv(page, page.view, changed()))]]),
  ];
  bodyOf("share").append(
    make(
      "div",
      { class: "buttons" },
      button("Save a copy in this state", () => save(".html", "text/html", page.copy()), { class: "main" }),
      ...(location.protocol === "file:" ? [] : [button("Copy link", () => copy(page.address(), "The link"))]),
      button("Print", () => print()),
      button("Start over", () => store.change({ ...page.first, theme: store.state.theme, inside: store.state.inside })),
    ),
    make("p", { class: "soft" }, `The copy opens with everything as it is set now. ${rowsWords(page)}`),
    make("h3", {}, "Save"),
    make("div", { class: "buttons" }, ...files.map(([text, act]) => button(text, act))),
    make("h3", {}, "The same in Python"),
    code,
    make(
      "div",
      { class: "buttons" },
      button("Copy as Python", () => copy(toPython(page, page.view), "The code")),
    ),
    status,
  );
  return (view) => setText(code, toPython(page, view));
}
