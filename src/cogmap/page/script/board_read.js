// Map files opened in the browser, with the checks of `cogmap.read_map`.

import { arePairs, readGrid } from "./board_grid.js";
import { readJson } from "./board_json.js";
import { isMentalModeler, readMmpJson, readMmpXml } from "./board_mmp.js";
import { readTable } from "./board_tables.js";
import { Problem } from "./board_text.js";
import { readLetters, readWords } from "./board_words.js";

export const MOST_BYTES = 4_000_000;
const CONTROLS = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/;
const EXCEL = ["xlsx", "xlsm", "xls", "ods"];
const CONVERTED = ["dot", "gv", "graphml", "xml", "gexf", "gml"];
const SIGNATURES = [
  ["PK\x03\x04", "kindExcel"],
  ["\xd0\xcf\x11\xe0", "kindExcel"],
  ["PAR1", "kindOther"],
  ["%PDF", "kindOther"],
  ["\x89PNG", "kindOther"],
  ["\xff\xd8\xff", "kindOther"],
  ["GIF8", "kindOther"],
  ["\x1f\x8b", "kindOther"],
];

/** Return the maps of a file as a list of {name, map}; `map` has the form of our JSON files. Raises `Problem`. */
export function readMaps(fileName, bytes) {
  const [, stem, ending] = /^(.*?)(?:\.([^.]*))?$/s.exec(fileName);
  const kind = (ending ?? "").toLowerCase();
  if (EXCEL.includes(kind)) throw new Problem("kindExcel", { file: fileName });
  if (CONVERTED.includes(kind)) throw new Problem("kindConverted", { file: fileName });
  if (bytes.length > MOST_BYTES) throw new Problem("tooLarge", { bytes: bytes.length, most: MOST_BYTES });
  const drawings = drawingsOf(kind, bytes, fileName);
  return drawings.map(([name, make]) => ({ name: name || stem, map: make().toMap() }));
}

function drawingsOf(kind, bytes, file) {
  if (kind === "mmp") return readMmp(bytes, file);
  if (kind === "json") return readJson(parsed(decoded(bytes, file)));
  if (["csv", "tsv", "txt"].includes(kind)) {
    const text = decoded(bytes, file);
    if (arePairs(text)) throw new Problem("namesOnly");
    return readTable(readGrid(text), readWords);
  }
  throw new Problem("kindOther", { file });
}

function readMmp(bytes, file) {
  const text = decoded(bytes, file);
  if (text.trimStart().startsWith("<")) return [["", () => readMmpXml(text, readLetters)]];
  const value = parsed(text);
  if (!isMentalModeler(value)) throw new Problem("mmpWithoutConcepts");
  return [["", readMmpJson(value, readLetters)]];
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem("notJson");
  }
}

/** Decode UTF-8, UTF-16 (with a byte order mark) or Windows-1252; refuse files that are not text. */
function decoded(bytes, file) {
  const start = String.fromCharCode(...bytes.slice(0, 4));
  for (const [signature, key] of SIGNATURES) if (start.startsWith(signature)) throw new Problem(key, { file });
  const wide = { "\xff\xfe": "utf-16le", "\xfe\xff": "utf-16be" }[start.slice(0, 2)];
  let text;
  try {
    text = new TextDecoder(wide ?? "utf-8", { fatal: true }).decode(bytes);
  } catch {
    if (wide || bytes.some((byte, i) => byte >= 0xc3 && (bytes[i + 1] ?? 0) >> 6 === 2))
      throw new Problem("damagedText");
    text = new TextDecoder("windows-1252").decode(bytes);
  }
  if (CONTROLS.test(text)) throw new Problem("notText");
  return text;
}
