// The table below a chart: the same figures for screen readers and the keyboard. It is filled when it is opened.

import { find, findAll } from "../shared/page_elements.js";
import { tableMenuIn } from "../shared/table_menu.js";

/**
 * Keeps the table in `details` filled: `given()` returns `{head: [names], rows: [{name, pick, cells}]}`; `pick` makes a name, or a cell, a button.
 * @param {HTMLDetailsElement} details
 * @param {() => TableFigures} given
 */
export function tableIn(details, given) {
  const update = () => { if (details.open) fillTable(find(details, "table", HTMLTableElement), given()); };
  details.addEventListener("toggle", update);
  tableMenuIn(details, () => takenRows(given()));
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
 * A cell whose text is rounded. Credits are millionths.
 * @param {number} value
 * @param {(value: number) => string} format
 * @returns {TableCell}
 */
export const exactCell = (value, format) => ({ text: format(value), value: Number(value.toFixed(6)) });

/**
 * @param {HTMLTableElement} table
 * @param {TableFigures} tablefigures
 */
function fillTable(table, { head, rows }) {
  const buttons = () => findAll(table, "button");
  const focused = buttons().findIndex((button) => button === document.activeElement);
  table.tHead?.replaceChildren(rowOf(head.map((name, place) => headCell(name, "col", place > 0))));
  table.tBodies[0].replaceChildren(...rows.map(({ name, pick, cells }) => rowOf([nameCell(name, pick), ...cells.map(cellOf)])));
  if (focused >= 0) buttons()[focused]?.focus();
}

/** @param {HTMLElement[]} cells */
function rowOf(cells) {
  const row = document.createElement("tr");
  row.append(...cells);
  return row;
}

/**
 * @param {string} name
 * @param {(() => void) | undefined} pick
 */
function nameCell(name, pick) {
  if (!pick) return headCell(name, "row");
  const cell = headCell("", "row");
  cell.append(buttonOf(name, pick));
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
  const { text, pick } = typeof given === "string" ? { text: given } : given;
  const cell = document.createElement("td");
  cell.className = "number";
  if (pick) cell.append(buttonOf(text, pick));
  else cell.textContent = text;
  return cell;
}
