// A shown table as text: CSV and JSON to keep, and text for the clipboard, which programs paste as a table.

// A spreadsheet runs a cell that begins with one of these as a formula; some also take the full-width signs.
const RUN = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;
const NUMBER = /^-?(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?$/;
const NONE = "–";

/** @typedef {string | number | null} Cell */

/**
 * What a table shows, row by row; the first row is the head. Columns without a value, such as those of buttons, are left out.
 * @param {HTMLTableElement} table
 */
export function valuesIn(table) {
  const left = [...table.rows[0]?.cells ?? []].map((cell) => "leftOut" in cell.dataset);
  return valuesOf([...table.rows].map((row) => [...row.cells].filter((_, across) => !left[across]).map(textOf)));
}

/**
 * The text of a cell; a badge and what stands below a value come after a comma.
 * @param {HTMLElement} cell
 */
function textOf(cell) {
  const shown = /** @type {HTMLElement} */ (cell.cloneNode(true));
  for (const hidden of shown.querySelectorAll("[hidden]")) hidden.remove();
  const below = [...shown.querySelectorAll(".badge, .under")];
  for (const line of below) line.remove();
  return [shown, ...below].map(({ textContent }) => (textContent ?? "").trim()).filter(Boolean).join(", ");
}

/**
 * The table as CSV, written as the server writes its export.
 * @param {Cell[][]} rows
 */
export const csvOf = (rows) => `\ufeff${rows.map((row) => `${row.map(csvCell).join(",")}\r\n`).join("")}`;

/**
 * The table as JSON. Names of columns may be equal, so the rows are lists.
 * @param {Cell[][]} rows
 */
export function jsonOf(rows) {
  const [columns, ...values] = rows;
  return `${JSON.stringify({ columns, rows: values }, null, 1)}\n`;
}

/**
 * The table with tabs between its columns.
 * @param {Cell[][]} rows
 */
export const tabbedOf = (rows) => rows.map((row) => `${row.map(tabbedCell).join("\t")}\n`).join("");

/**
 * Shown cells as texts, numbers, or null where there is none. The head and the first column hold names, which stay as they are.
 * @param {Cell[][]} rows
 */
export function valuesOf(rows) {
  return rows.map((row, down) => row.map((text, across) => (down && across ? valueOf(text) : text)));
}

/** @param {Cell} text */
function valueOf(text) {
  if (typeof text !== "string") return text;
  if (text === NONE || text === "") return null;
  return NUMBER.test(text) ? Number(text.replaceAll(",", "")) : text;
}

/** @param {Cell} value */
function csvCell(value) {
  if (typeof value !== "string") return String(value ?? "");
  return `"${harmless(value).replaceAll('"', '""')}"`;
}

/** @param {Cell} value */
function tabbedCell(value) {
  if (typeof value !== "string") return String(value ?? "");
  return harmless(value.trim().replace(/\s+/g, " "));
}

/** @param {string} text */
const harmless = (text) => (RUN.test(text) ? `'${text}` : text);
