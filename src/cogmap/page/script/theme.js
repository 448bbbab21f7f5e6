// Light or dark theme: the system setting unless overridden; always light in print.

import { button, setAttribute, setText } from "./dom.js";

const WORDS = { light: "Light", dark: "Dark", toLight: "Change to light colours", toDark: "Change to dark colours" };

export function themePart({ store, words = WORDS }) {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const paper = matchMedia("print");
  const now = () => (paper.matches ? "light" : (store.state.theme ?? (dark.matches ? "dark" : "light")));
  const toggle = button("", () => store.change({ theme: now() === "dark" ? "light" : "dark" }), { class: "quiet" });
  document.getElementById("theme").append(toggle);
  const update = () => {
    setAttribute(document.documentElement, "data-theme", now());
    setText(toggle, now() === "dark" ? words.light : words.dark);
    setAttribute(toggle, "aria-label", now() === "dark" ? words.toLight : words.toDark);
  };
  dark.addEventListener("change", update);
  paper.addEventListener("change", update);
  return update;
}
