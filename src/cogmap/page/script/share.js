// Sharing: link, Python code, files and printing.

import { bodyOf, button, make, setText } from "./dom.js";
import { toJson, toMapCsv, toMmp, toRowCsv, toStatesCsv } from "./files.js";
import { toSvg } from "./svg_file.js";
import { toPython } from "./python.js";

export function sharePart(page) {
  const { model, store } = page;
  const status = make("p", { class: "soft", role: "status" });
  const code = make("pre", { class: "code", tabindex: "0", "aria-label": "The same in Python" });
  const stem = (model.title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-|-$/g, "") || "map").slice(0, 60);

  async function copy(text, name) {
    try {
      await navigator.clipboard.writeText(text);
      setText(status, `${name} is copied.`);
    } catch {
      setText(status, `${name} could not be copied: this browser does not allow it for this page.`);
    }
  }
  function save(ending, kind, text) {
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

  const files = [
    ["Picture (SVG)", () => save(".svg", "image/svg+xml", toSvg(page.graph, model))],
    ["Map as JSON", () => save(".json", "application/json", toJson(page.view.model))],
    ["Map as CSV", () => save(".csv", "text/csv", toMapCsv(page.view.model))],
    ["Mental Modeler (.mmp)", () => save(".mmp", "application/xml", toMmp(page.view.model))],
    ["States as CSV", () => save("-states.csv", "text/csv", toStatesCsv(page, page.view))],
    ...(model.kind === "map"
      ? []
      : [["This row as CSV", () => save("-row.csv", "text/csv", toRowCsv(page, page.view))]]),
  ];
  bodyOf("share").append(
    make(
      "div",
      { class: "buttons" },
      button("Copy link", () => copy(page.address(), "The link"), { class: "main" }),
      button("Print", () => print()),
      button("Start over", () => store.change({ ...page.first, theme: store.state.theme })),
    ),
    make("p", { class: "soft" }, "The link holds all settings of this page. It opens this file only: send both."),
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
