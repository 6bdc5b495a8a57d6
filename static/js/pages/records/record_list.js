// The list of records: its rows, their order and the focus.

import { credits, minutes, whole } from "../../shared/formats.js";
import { colourOf } from "../../shared/model_colours.js";
import { excerptAround } from "./record_hits.js";
import { gettext } from "../../shared/i18n.js";
import { byId, copyOf, find, findAll, focused, targetOf } from "../../shared/page_elements.js";

const table = find(document, ".record-table", HTMLTableElement);
const body = table.tBodies[0];
const template = byId("record-row", HTMLTemplateElement);
/** @type {string[]} */
let ids = [];
/** @type {Map<string, string>} */
let times = new Map();

document.addEventListener("archive:theme", paintRows);

/**
 * Wires the list: a click on a row calls `open(id)`, on the head of a column `sort(order)`.
 * @param {{open: (id: string) => void, sort: (order: string) => void}} acts
 */
export function bindList({ open, sort }) {
  body.addEventListener("click", (event) => {
    const row = targetOf(event).closest("tr");
    // The browser opens new tabs, and selecting text is not a click.
    if (!row?.dataset.id || event.ctrlKey || event.metaKey || event.shiftKey || (!targetOf(event).closest("a") && isSelected(row))) return;
    event.preventDefault();
    open(row.dataset.id);
  });
  table.tHead?.addEventListener("click", (event) => {
    const head = targetOf(event).closest("[data-orders]");
    if (head) sort(nextOrder(head));
  });
}

/** @param {HTMLElement} row */
function isSelected(row) {
  const selection = getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(row, true);
}

/**
 * The next order of a column: after its last one the first again, or the default if it has only one.
 * @param {HTMLElement} head
 */
function nextOrder({ dataset }) {
  const orders = (dataset.orders ?? "").split(" ");
  const next = orders[orders.indexOf(dataset.order ?? "") + 1];
  return next ?? (orders.length > 1 ? orders[0] : "");
}

/**
 * Marks the column by which the rows are sorted.
 * @param {string} order
 */
export function showOrder(order) {
  for (const head of findAll(table, "thead [data-orders]")) {
    const sorted = (head.dataset.orders ?? "").split(" ").includes(order);
    head.dataset.order = sorted ? order : "";
    const cell = head.closest("th");
    if (sorted) cell?.setAttribute("aria-sort", order.endsWith("_desc") ? "descending" : "ascending");
    else cell?.removeAttribute("aria-sort");
  }
}

/**
 * Shows records with the hits of a pattern marked; `addressOf(id)` is the address of a record.
 * @param {ListedRecord[]} items
 * @param {RegExp | null} pattern
 * @param {(id: string) => string} addressOf
 */
export function showRows(items, pattern, addressOf) {
  const before = body.contains(document.activeElement) ? focused()?.closest("tr")?.dataset.id : undefined;
  ids = items.map((record) => record.request_id);
  times = new Map(items.map((record) => [record.request_id, record.ts]));
  body.replaceChildren(...items.map((record) => rowOf(record, pattern, addressOf)));
  if (items.length) table.toggleAttribute("data-tokens", items.some(({ tokens }) => tokens));
  table.hidden = items.length === 0;
  paintRows();
  if (before !== undefined) focusRow(Math.max(0, ids.indexOf(before)));
}

export function hideRows() {
  ids = [];
  body.replaceChildren();
  table.hidden = true;
}

/**
 * @param {ListedRecord} record
 * @param {RegExp | null} pattern
 * @param {(id: string) => string} addressOf
 */
function rowOf(record, pattern, addressOf) {
  const row = copyOf(template);
  const cell = (/** @type {string} */ name) => find(row, `.${name}`);
  const link = find(row, "a", HTMLAnchorElement);
  row.dataset.id = record.request_id;
  link.href = addressOf(record.request_id);
  link.append(...timeShown(record.ts));
  cell("dot").dataset.of = record.model;
  find(row, "[data-model]").textContent = record.model || gettext("no model");
  cell("client").textContent = record.client || "–";
  cell("purpose").textContent = record.agent_purpose || "–";
  cell("purpose").toggleAttribute("data-none", !record.agent_purpose);
  cell("cost").textContent = record.credits === 0 ? gettext("free") : credits(record.credits);
  cell("cost").toggleAttribute("data-free", record.credits === 0);
  cell("tokens").textContent = record.tokens ? whole(tokensOf(record.tokens)) : "–";
  const prompt = cell("prompt");
  prompt.firstElementChild?.append(...(record.prompt ? excerptAround(record.prompt, pattern) : [gettext("no prompt")]));
  prompt.toggleAttribute("data-none", !record.prompt);
  return row;
}

/**
 * All tokens of a call.
 * @param {TokenCounts} tokens
 */
export const tokensOf = ({ in: taken, out, cache_read: read, cache_write: written }) => taken + out + read + written;

/**
 * A time, with the year apart if it is this one: narrow lists leave it out.
 * @param {string} timestamp
 */
function timeShown(timestamp) {
  const year = timestamp.slice(0, 5);
  if (!byId("filters").dataset.today?.startsWith(year)) return [minutes(timestamp)];
  const apart = document.createElement("span");
  apart.className = "this-year";
  apart.textContent = year;
  return [apart, minutes(timestamp).slice(year.length)];
}

/** Gives each row's dot the colour of its model. */
export function paintRows() {
  for (const dot of findAll(body, ".dot")) dot.style.backgroundColor = colourOf(dot.dataset.of ?? "");
}

/**
 * Marks the row of the open record, if it is in the list.
 * @param {string | null} id
 */
export function showOpen(id) {
  const [old, row] = [body.querySelector("[aria-current]"), body.rows[placeOf(id)]];
  if (old === (row ?? null)) return;
  old?.removeAttribute("aria-current");
  row?.setAttribute("aria-current", "true");
  row?.scrollIntoView({ block: "nearest" });
}

/**
 * The place of a record in the list; -1 if it is not in the list.
 * @param {string | null} id
 */
export const placeOf = (id) => ids.indexOf(id ?? "");

/**
 * The id at a place; undefined beyond the ends.
 * @param {number} place
 * @returns {string | undefined}
 */
export const idAt = (place) => ids[place];

/**
 * The time of a record in the list; undefined for others.
 * @param {string} id
 */
export const timeOf = (id) => times.get(id);

export const lastPlace = () => ids.length - 1;

/**
 * Moves the focus by a number of rows; if no row has the focus, to the first one.
 * @param {number} by
 */
export function moveFocus(by) {
  const row = /** @type {HTMLTableRowElement | null | undefined} */ (focused()?.closest("#records tbody tr"));
  focusRow(row ? Math.max(0, Math.min(ids.length - 1, row.sectionRowIndex + by)) : 0);
}

/** @param {number} place */
export function focusRow(place) {
  const row = body.rows[place];
  row?.querySelector("a")?.focus();
  row?.scrollIntoView({ block: "nearest" });
}
