// Light or dark theme: the system setting unless overridden; always light in print.

import { button, setAttribute, setText } from "./dom.js";

export function themePart({ store }) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const paper = matchMedia("print");
  const now = () => (paper.matches ? "light" : (store.state.theme ?? (dark.matches ? "dark" : "light")));
  const toggle = button("", () => store.change({ theme: now() === "dark" ? "light" : "dark" }), { class: "quiet" });
  document.getElementById("theme").append(toggle);
  const update = () => {
    setAttribute(document.documentElement, "data-theme", now());
    setText(toggle, now() === "dark" ? "Light" : "Dark");
    setAttribute(toggle, "aria-label", `Change to ${now() === "dark" ? "light" : "dark"} colours`);
  };
  dark.addEventListener("change", update);
  paper.addEventListener("change", update);
  return update;
}
