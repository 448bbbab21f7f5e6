// Autosave in the storage of the browser. Pages opened from disk share it, so the key holds the board and its place.

import { invalid } from "./board_doc.js";
import { t } from "./board_text.js";

const DELAY = 300; // milliseconds after the last change
const LONGEST = 900; // milliseconds after the first unsaved change

/** Create the autosave of a board. `tell` gets the state as text and whether all is well. */
export function autosave(id, place, tell) {
  const key = `cogmap board ${id} ${place}`;
  let pending = null,
    waiting = null,
    since = 0,
    works = true;

  function storage() {
    try {
      return window.localStorage;
    } catch {
      return null; // forbidden by the browser
    }
  }

  function restore() {
    try {
      const text = storage()?.getItem(key);
      if (!text) return null;
      const { version, doc } = JSON.parse(text);
      return version === 1 && invalid(doc) === null ? doc : null;
    } catch {
      return null;
    }
  }

  function write() {
    clearTimeout(pending);
    pending = null;
    if (waiting === null) return;
    const store = storage();
    try {
      if (!store) throw new Error("forbidden");
      store.setItem(key, JSON.stringify({ version: 1, doc: waiting }));
      waiting = null;
      works = true;
      tell(t("savedInBrowser"), true);
    } catch {
      works = false;
      tell(store ? t("storageFull") : t("storageForbidden"), false);
    }
  }

  addEventListener("pagehide", write);
  document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && write());
  addEventListener("storage", (event) => event.key === key && event.newValue !== null && tell(t("otherTab"), false));

  return {
    restore,
    save(doc) {
      if (waiting === null) since = Date.now();
      waiting = doc;
      clearTimeout(pending);
      if (Date.now() - since >= LONGEST) return write();
      if (works) tell(t("saving"), true);
      pending = setTimeout(write, Math.min(DELAY, LONGEST - (Date.now() - since)));
    },
    forget() {
      waiting = null;
      storage()?.removeItem(key);
    },
  };
}
