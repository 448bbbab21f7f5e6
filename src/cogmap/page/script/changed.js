// The band that says that the map was changed by hand, on the page, in print and in saved files.

import { button, make, setAttribute, setText } from "./dom.js";
import { editWords } from "./edits_part.js";
import { count, listed } from "./words.js";

const NAMED = 2; // changes named in the band

/** Return the changes of a view in words, "" if there are none. */
export function changedWords({ edits, state }) {
  const held = Object.keys(state.clamp).length;
  const parts = [
    ...(edits.length ? [count(edits.length, "arrow")] : []),
    ...(held ? [`${count(held, "concept")} held`] : []),
  ];
  return parts.length ? `This map was changed by hand (${listed(parts)}).` : "";
}

/** Return what was changed, with the changes themselves if they are few. */
function listOf(words, model, edits) {
  if (!edits.length || edits.length > NAMED) return words;
  return `${words} ${edits.map(([target, source, value]) => editWords(model, target, source, value, 30)).join("; ")}.`;
}

export function changedPart({ store, model }) {
  const words = make("span");
  const original = button("Show the original", () => store.change({ done: 0, clamp: {} }));
  const again = button("Show the changed map", () => store.change({ done: store.state.edits.length }));
  const band = document.getElementById("changed");
  band.append(words, " ", original, again);
  return (view) => {
    const now = model.kind === "map" && !view.edits.length ? "" : changedWords(view);
    const aside = !now && view.state.edits.length > 0;
    setText(words, now ? listOf(now, model, view.edits) : (aside ? "You see the original map; your changes are set aside." : ""));
    setAttribute(original, "hidden", !now);
    setAttribute(again, "hidden", !aside);
    setAttribute(band, "hidden", !now && !aside);
    setAttribute(band, "class", now ? "band" : "band aside");
  };
}
