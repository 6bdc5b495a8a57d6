// What the command palette offers, and what each entry does.

import { at } from "./addresses.js";
import { get } from "./api.js";
import { showKeys } from "./keys.js";
import { fill, gettext } from "./i18n.js";
import { byId, findAll } from "./page_elements.js";
import { tasks } from "./palette_tasks.js";

/** @typedef {{group: string, label: string, hint?: string, words?: string, run: () => void}} Entry */

const PAGES = gettext("Pages");
const TASKS = gettext("Tasks and settings");
const PERIODS = gettext("Periods");
const VIEWS = gettext("Saved views");
const ACTIONS = gettext("Actions");
const RECORDS = gettext("Records");
/** @type {Record<string, string>} */
const PERIOD_NAMES = {
  today: gettext("Today"), yesterday: gettext("Yesterday"), 7: gettext("Last 7 days"), 30: gettext("Last 30 days"), 90: gettext("Last 90 days"),
  month: gettext("This month"), "last-month": gettext("Last month"), all: gettext("All days"),
};
// The order of an object with numbers as keys would be another one.
const PERIOD_ORDER = ["today", "yesterday", "7", "30", "90", "month", "last-month", "all"];
/** @type {Record<string, string>} */
const GROUPS = { model: gettext("Models"), client: gettext("Clients") };
const USERS = at("/users");
const SHORTEST_ID = 3;
// What may be an id of the source, or begin one.
const { requestId } = byId("palette", HTMLDialogElement).dataset;
const OF_SOURCE = requestId === undefined ? null : new RegExp(`^(?:${requestId})`, "i");
const [LAST_MONTHS, MOST_MONTHS] = [24, 3];

/** @param {string} address */
const to = (address) => () => location.assign(address);

/**
 * The pages of the frame, the tasks, the periods, and the actions that are possible now.
 * @returns {Entry[]}
 */
export function standingEntries() {
  const links = findAll(document, "nav.pages a, .menu-items [role=group] a", HTMLAnchorElement);
  return [
    ...links.map((link) => ({ group: PAGES, label: link.textContent ?? "", run: to(link.href) })),
    ...tasks(links.some((link) => link.pathname === USERS)).map(({ address, label, words }) => ({ group: TASKS, label, words, run: to(address) })),
    ...PERIOD_ORDER.map((period) => ({ group: PERIODS, label: PERIOD_NAMES[period], run: to(filtered({ period }, ["from", "to"])) })),
    ...actions(),
  ];
}

/**
 * The saved views, the models and the clients of the account. Throws ApiError.
 * @returns {Promise<Entry[]>}
 */
export async function namedEntries() {
  const [{ items: views }, names] = await Promise.all([get("/api/views"), get("/api/dims", { dim: "purpose" })]);
  return [
    ...views.map((/** @type {{name: string, query: string}} */ { name, query }) => ({ group: VIEWS, label: name, run: to(at(query ? `/records?${query}` : "/records")) })),
    .../** @type {const} */ (["model", "client"]).flatMap((dim) => names[dim].filter((/** @type {DimItem} */ { name }) => name).map((/** @type {DimItem} */ { name }) => (
      { group: GROUPS[dim], label: name, run: to(filtered({ [dim]: name }, [`no_${dim}`])) }
    ))),
  ];
}

/**
 * The entries for a text that is typed: the days that it names, the record with this id if it may be one, and the records with
 * this text in their prompts.
 * @param {string} text
 * @param {boolean} isKnown Whether it is part of a name of something else.
 * @returns {Entry[]}
 */
export function typedEntries(text, isKnown) {
  const days = daysNamed(text).map(({ label, from, to: last }) => ({ group: PERIODS, label, run: to(filtered({ period: "custom", from, to: last }, [])) }));
  const record = { group: RECORDS, label: fill(gettext("Open the record “%(text)s”"), { text }), run: to(at(`/records?${new URLSearchParams({ record: text })}`)) };
  const search = { group: RECORDS, label: fill(gettext("Search the prompts for “%(text)s”"), { text }), run: to(at(`/records?${new URLSearchParams({ q: text })}`)) };
  return [...days, ...(mayBeId(text) && !isKnown ? [record, search] : [search])];
}

/**
 * Whether a text may be the id of a record, or begin one: that of the source, or of an imported call. Words are none, and neither
 * are dates and numbers, alone or with a unit ("30days").
 * @param {string} text
 */
function mayBeId(text) {
  if (text.length < SHORTEST_ID || /\s/.test(text)) return false;
  return OF_SOURCE?.test(text) || (/\d/.test(text) && !/^[\d.,:/-]+\p{L}*$/u.test(text));
}

/**
 * The days that a text names: a day, a month or a span as in addresses, or one of the last months by its name.
 * @param {string} text
 * @returns {{label: string, from: string, to: string}[]}
 */
function daysNamed(text) {
  const [first, last, more] = text.split("..");
  if (isDay(first) && !more && (last === undefined || isDay(last))) return [{ label: text, from: first, to: last ?? first }];
  if (/^\d{4}-\d\d$/.test(text)) return isDay(`${text}-01`) ? [{ label: text, ...daysOfMonth(new Date(`${text}-01T00:00Z`)) }] : [];
  if (text.length < SHORTEST_ID) return [];
  const name = new Intl.DateTimeFormat(document.documentElement.lang, { month: "long", year: "numeric", timeZone: "UTC" });
  const now = new Date();
  const months = Array.from({ length: LAST_MONTHS }, (_, back) => new Date(Date.UTC(now.getFullYear(), now.getMonth() - back, 1)));
  const named = months.map((month) => ({ label: name.format(month), ...daysOfMonth(month) }));
  return named.filter(({ label }) => label.toLowerCase().includes(text.toLowerCase())).slice(0, MOST_MONTHS);
}

/** @param {string} text */
function isDay(text) {
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00Z`) : null;
  // JavaScript makes the 31st of a short month a day of the next one.
  return day !== null && !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

/** @param {Date} first The first day of a month. */
function daysOfMonth(first) {
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0));
  return { from: first.toISOString().slice(0, 10), to: last.toISOString().slice(0, 10) };
}

/** @returns {Entry[]} */
function actions() {
  const buttons = findAll(document, "button[data-action]", HTMLButtonElement).filter((button) => !button.disabled && !button.hidden);
  return [
    ...buttons.map((button) => ({ group: ACTIONS, label: button.textContent?.trim() ?? "", run: () => button.click() })),
    { group: ACTIONS, label: gettext("Keyboard shortcuts"), hint: "?", run: showKeys },
  ];
}

/**
 * The address of this page, or of the overview where this page has no filters, with some filters changed.
 * @param {Record<string, string>} changes
 * @param {string[]} drops
 */
function filtered(changes, drops) {
  const isHere = document.getElementById("filters") !== null;
  const query = new URLSearchParams(isHere ? location.search : "");
  for (const name of [...drops, "page", "record"]) query.delete(name);
  for (const [name, value] of Object.entries(changes)) query.set(name, value);
  return `${isHere ? location.pathname : at("/")}?${query}`;
}
