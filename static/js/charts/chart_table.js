// The table below a chart: the same figures for screen readers and the keyboard. It is filled when it is opened.

import { DIGITS } from "../shared/formats.js";
import { find, findAll } from "../shared/page_elements.js";
import { tableMenuIn } from "../shared/table_menu.js";

/**
 * Keeps the table of a chart's part of the page filled while it is open: `given()` returns `{head: [names], rows: [{name, pick, href, cells}]}`; `pick` makes a name a button, `href` makes a name, or a cell, a link.
 * @param {HTMLElement} part
 * @param {() => TableFigures} given
 */
export function tableIn(part, given) {
  const details = find(part, ".as-table", HTMLDetailsElement);
  const update = () => { if (details.open) fillTable(find(details, "table", HTMLTableElement), given()); };
  details.addEventListener("toggle", update);
  tableMenuIn(part, ({ valuesOf }) => valuesOf(takenRows(given())));
  return { update };
}

/**
 * The table as it is copied: with the values of the API.
 * @param {TableFigures} figures
 */
function takenRows({ head, rows }) {
  return [head, ...rows.map(({ name, cells }) => [name, ...cells.map((cell) => (typeof cell === "string" ? cell : cell.value ?? cell.text))])];
}

/**
 * A cell whose text is rounded.
 * @param {number} value
 * @param {(value: number) => string} format
 * @returns {TableCell}
 */
export const exactCell = (value, format) => ({ text: format(value), value: Number(value.toFixed(DIGITS)) });

/**
 * @param {HTMLTableElement} table
 * @param {TableFigures} tablefigures
 */
function fillTable(table, { head, rows }) {
  const ways = () => findAll(table, "button, a");
  const focused = ways().findIndex((way) => way === document.activeElement);
  const isFigures = (/** @type {number} */ place) => place > 0 && rows.every(({ cells }) => isFigure(cells[place - 1]));
  table.tHead?.replaceChildren(rowOf(head.map((name, place) => headCell(name, "col", isFigures(place)))));
  table.tBodies[0].replaceChildren(...rows.map((row) => rowOf([nameCell(row), ...row.cells.map(cellOf)])));
  if (focused >= 0) ways()[focused]?.focus();
}

/** @param {string | TableCell} cell */
const textOf = (cell) => (typeof cell === "string" ? cell : cell.text);

/**
 * Whether a cell holds a figure, or stands for one that there is not; words begin with a letter.
 * @param {string | TableCell} cell
 */
const isFigure = (cell) => !/^\p{L}/u.test(textOf(cell));

/** @param {HTMLElement[]} cells */
function rowOf(cells) {
  const row = document.createElement("tr");
  row.append(...cells);
  return row;
}

/** @param {TableRow} row */
function nameCell({ name, pick, href }) {
  if (!pick && !href) return headCell(name, "row");
  const cell = headCell("", "row");
  cell.append(pick ? buttonOf(name, pick) : linkOf(name, href));
  return cell;
}

/**
 * @param {string} text
 * @param {() => void} pick
 */
function buttonOf(text, pick) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "as-link";
  button.textContent = text;
  button.addEventListener("click", pick);
  return button;
}

/**
 * @param {string} text
 * @param {string} [href]
 */
function linkOf(text, href = "") {
  const link = document.createElement("a");
  link.href = href;
  link.className = "as-link";
  link.textContent = text;
  return link;
}

/**
 * @param {string} text
 * @param {string} scope
 */
function headCell(text, scope, isNumber = false) {
  const cell = document.createElement("th");
  cell.scope = scope;
  cell.textContent = text;
  if (isNumber) cell.className = "number";
  return cell;
}

/** @param {string | TableCell} given */
function cellOf(given) {
  const [text, href] = [textOf(given), typeof given === "string" ? "" : given.href];
  const cell = document.createElement("td");
  if (isFigure(given)) cell.className = "number";
  if (href) cell.append(linkOf(text, href));
  else cell.textContent = text;
  return cell;
}
