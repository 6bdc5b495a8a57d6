// A shown table as text: CSV and JSON to keep, and text for the clipboard, which programs paste as a table.

// A spreadsheet runs a cell that begins with one of these as a formula; some also take the full-width signs.
const RUN = /^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/;
const NUMBER = /^-?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?$/;
const NONE = "–";

/**
 * The texts in a table, row by row; the first row is the head.
 * @param {HTMLTableElement} table
 */
export const textsIn = (table) => [...table.rows].map((row) => [...row.cells].map((cell) => (cell.textContent ?? "").trim()));

/**
 * The table as CSV, written as the server writes its export.
 * @param {string[][]} rows
 */
export const csvOf = (rows) => `\ufeff${valuesIn(rows).map((row) => `${row.map(csvCell).join(",")}\r\n`).join("")}`;

/**
 * The table as JSON. Names of columns may be equal, so the rows are lists.
 * @param {string[][]} rows
 */
export function jsonOf(rows) {
  const [columns, ...values] = valuesIn(rows);
  return `${JSON.stringify({ columns, rows: values }, null, 1)}\n`;
}

/**
 * The table with tabs between its columns.
 * @param {string[][]} rows
 */
export const tabbedOf = (rows) => valuesIn(rows).map((row) => `${row.map(tabbedCell).join("\t")}\n`).join("");

/**
 * Cells as texts, numbers, or null where there is none. The head and the first column hold names, which stay as they are.
 * @param {string[][]} rows
 */
function valuesIn(rows) {
  return rows.map((row, down) => row.map((text, across) => (down && across ? valueOf(text) : text)));
}

/** @param {string} text */
function valueOf(text) {
  if (text === NONE || text === "") return null;
  return NUMBER.test(text) ? Number(text.replaceAll(",", "")) : text;
}

/** @param {string | number | null} value */
function csvCell(value) {
  if (typeof value !== "string") return String(value ?? "");
  return `"${harmless(value).replaceAll('"', '""')}"`;
}

/** @param {string | number | null} value */
function tabbedCell(value) {
  if (typeof value !== "string") return String(value ?? "");
  return harmless(value.replace(/\s+/g, " "));
}

/** @param {string} text */
const harmless = (text) => (RUN.test(text) ? `'${text}` : text);
