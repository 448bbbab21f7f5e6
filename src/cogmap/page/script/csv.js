// Reading and writing of CSV, separated by commas, semicolons or tabs.

import { readCell } from "./columns.js";

/** Parse text as rows of cells. Quoted cells may contain separators, line breaks and doubled quotes. */
export function parseCsv(text) {
  const separator = separatorOf(text);
  const rows = [[]];
  let cell = "",
    quoted = false,
    wasQuoted = false;
  const endCell = () => {
    rows.at(-1).push(wasQuoted ? cell : cell.trim());
    [cell, wasQuoted] = ["", false];
  };
  for (let place = 0; place < text.length; place++) {
    const letter = text[place];
    if (quoted) {
      if (letter !== '"') cell += letter;
      else if (text[place + 1] === '"') {
        cell += '"';
        place++;
      } else quoted = false;
    } else if (letter === '"' && cell.trim() === "") {
      [cell, quoted, wasQuoted] = ["", true, true];
    } else if (letter === separator) endCell();
    else if (letter === "\n") {
      endCell();
      rows.push([]);
    } else if (letter !== "\r") cell += letter;
  }
  endCell();
  return rows.filter((row) => row.length > 1 || row[0] !== "");
}

/** Return the most frequent separator outside quotes; tabs take precedence, since spreadsheets copy with tabs. */
function separatorOf(text) {
  const bare = text.replace(/"[^"]*"/g, "");
  if (bare.includes("\t")) return "\t";
  const often = (letter) => bare.split(letter).length;
  return often(";") > often(",") ? ";" : ",";
}

export function writeCsv(rows) {
  return rows.map((row) => row.map(written).join(",")).join("\r\n") + "\r\n";
}

function written(cell) {
  const text = cell === null || Number.isNaN(cell) ? "" : String(cell);
  return /[",\r\n;\t]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/**
 * Parse one pasted row for these columns, in their order or below a header with their names.
 * Returns {row}, or {problem} with a sentence.
 */
export function pastedRow(text, columns) {
  const lines = parseCsv(text);
  if (lines.length === 0)
    return { problem: "Nothing was pasted: paste one row, with or without a line of names above it." };
  const names = columns.map((column) => column.name);
  const isHeader = lines.length > 1 && lines[0].some((cell) => names.includes(cell));
  if (isHeader) return namedRow(lines[0], lines[1], columns);
  const cells = lines[0];
  if (cells.length !== columns.length) {
    return {
      problem:
        `The row has ${cells.length} values, but the table has ${columns.length} columns. ` +
        "Paste all of them in the order of the table, or add a header line with the names of those you have.",
    };
  }
  return readCells(cells, columns);
}

function namedRow(header, cells, columns) {
  const row = columns.map((column) => {
    const place = header.indexOf(column.name);
    return place < 0 ? "" : (cells[place] ?? "");
  });
  return readCells(row, columns);
}

function readCells(cells, columns) {
  const row = [];
  for (const [place, column] of columns.entries()) {
    const read = readCell(cells[place], column);
    if (read.problem) return read;
    row.push(read.value);
  }
  return { row };
}
