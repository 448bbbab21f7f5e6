// Weights written as numbers, letters or linguistic terms, as `cogmap.maps.formats.words` reads them.

import { Problem } from "./board_text.js";

export const SCALE = { VL: 0.1, L: 0.25, ML: 0.375, M: 0.5, MH: 0.625, H: 0.75, VH: 1 };
export const LETTERS = { L: 0.25, M: 0.62, H: 1 }; // of Mental Modeler

const GRADES = {
  L: ["low", "weak", "weakly", "small", "slight", "slightly", "minor"],
  M: ["medium", "moderate", "moderately", "middle", "mid", "average"],
  H: ["high", "highly", "strong", "strongly", "large", "major"],
};
const SYNONYMS = { mediumlow: "ML", moderatelylow: "ML", mediumhigh: "MH", moderatelyhigh: "MH" };
for (const [letter, words] of Object.entries(GRADES)) {
  for (const word of words) {
    SYNONYMS[word] = letter;
    if (letter !== "M") SYNONYMS[`very${word}`] = SYNONYMS[`v${word}`] = `V${letter}`;
  }
}
const NOTHING = new Set(
  "na nan none null nil no zero unsure nocausality noeffect noinfluence norelation norelationship noedge".split(" "),
);
const DIRECTIONS = { positive: 1, positively: 1, pos: 1, negative: -1, negatively: -1, neg: -1 };
const SIGNS = { "": 1, "+": 1, "-": -1, "−": -1, "–": -1 };
const NUMBER = /^[+\-−–]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?$/;
const SIGNED = /^([+\-−–]?)\s*([\p{L}\p{N}_].*?)\s*([+\-−–]?)$/su;
const BETWEEN = /[\s_,;:/().\-]+/;

/** Convert a number, or text with a decimal point or comma, to a number; null for anything else. */
export function asNumber(cell) {
  if (typeof cell === "number") return cell;
  if (typeof cell !== "string" || !NUMBER.test(cell.trim())) return null;
  return Number(cell.trim().replace(",", ".").replace(/[−–]/, "-"));
}

function keyOf(word) {
  return word.toLowerCase().split(BETWEEN).join("");
}

/** Return a function that converts a cell, with an optional direction from another cell, to a weight or null. */
export function weightReader(scale) {
  const weights = new Map(Object.entries(scale).map(([word, weight]) => [keyOf(word), weight]));
  const strength = (key) => weights.get(key) ?? weights.get((SYNONYMS[key] ?? key).toLowerCase()) ?? null;

  function meaning(cell) {
    const text = String(cell).trim();
    if (!text || NOTHING.has(keyOf(text))) return null;
    const match = SIGNED.exec(text);
    if (match && !(match[1] && match[3]) && typeof cell !== "boolean") {
      const words = match[2].toLowerCase().split(BETWEEN).filter(Boolean);
      const directions = words.filter((word) => word in DIRECTIONS);
      let sign = SIGNS[match[1] || match[3]];
      let size = strength(words.join(""));
      if (size === null && directions.length <= 1) {
        sign *= directions.length ? DIRECTIONS[directions[0]] : 1;
        const rest = words.filter((word) => !(word in DIRECTIONS)).join("");
        size = directions.length && !rest ? 1 : strength(rest);
      }
      if (size !== null) return sign * size;
    }
    throw new Problem("notAWeight", { cell: text, words: Object.keys(scale).join(", ") });
  }

  return (cell, direction = null) => {
    let value = asNumber(cell);
    if (value === null && cell !== null && cell !== undefined) value = meaning(cell);
    if (value === null || Number.isNaN(value)) return null;
    if (!Number.isFinite(value)) throw new Problem("notFinite", { cell });
    if (direction === null || direction === undefined) return value;
    const sign = directionSign(direction);
    if (sign > 0 && value < 0) throw new Problem("againstDirection", { weight: value, direction });
    return sign * Math.abs(value);
  };
}

function directionSign(direction) {
  const value = asNumber(direction);
  if (value) return value > 0 ? 1 : -1;
  const text = String(direction).trim();
  const sign = DIRECTIONS[text.toLowerCase()] ?? (text ? SIGNS[text] : undefined);
  if (sign === undefined) throw new Problem("noDirection", { direction });
  return sign;
}

export const readWords = weightReader(SCALE);
export const readLetters = weightReader(LETTERS);
