// The records page. The address holds the whole state: every action changes the address first, then the page follows it.

import { isGone, onReturn } from "../shared/connection.js";
import { showErased } from "../shared/erased_line.js";
import { day as dayOf } from "../shared/formats.js";
import { namesOf, WITHOUT } from "../shared/filter_names.js";
import { bindFilters, showNames } from "../shared/filters.js";
import { forgetNames, loadNames } from "../shared/model_colours.js";
import { patternOf } from "./records/record_hits.js";
import { bindKeys } from "../shared/keys.js";
import { addressWith, asked, DEFAULTS, tidyAddress } from "./records/list_address.js";
import { bindListFilters, NO_LIST_FILTERS, showListFilters } from "./records/list_filters.js";
import { dropExport, hideExport, showExport } from "./records/export_menu.js";
import { hideHead, showHead, showSearching } from "./records/list_head.js";
import { readList } from "./records/list_request.js";
import { bindLiveSearch } from "./records/live_search.js";
import * as list from "./records/record_list.js";
import { bindPager, hidePager, showPager } from "./records/record_pager.js";
import * as panel from "./records/record_panel.js";
import { gettext } from "../shared/i18n.js";
import { byId, fieldOf, find } from "../shared/page_elements.js";
import { queryFrom } from "../shared/query.js";
import { bindViews } from "./records/views_menu.js";

const part = byId("records");

const failed = find(part, "[data-failed]");
const search = byId("search", HTMLFormElement);
const needle = fieldOf(search, "q");
let reading = new AbortController();
let loading = Promise.resolve();
let read = ""; // what was last asked for
let isTyped = false; // whether it was asked for by typing
let shown = ""; // what the rows answer
let searched = "";
/** @type {Paged<ListedRecord> | null} */
let answer = null;
let archived = !byId("archived").hidden;

const filters = bindFilters({ usual: DEFAULTS.period, onChange: follow, drops: ["page"] });
const go = filters.set;
bindPager(go);
list.bindList({ open: (id) => go({ record: id }), sort: (order) => go({ order: order === DEFAULTS.order ? "" : order, page: "" }) });
panel.bindPanel({ onClose: () => go({ record: "" }), onStep: step, onFilter: filterBy });
bindKeys({
  j: () => move(1), k: () => move(-1), n: () => turn(1), p: () => turn(-1), "]": () => turn(1), "[": () => turn(-1),
  "/": () => { needle.focus(); needle.select(); }, Escape: panel.closePanel,
});
bindLiveSearch(search, { search: searchFor, searched: () => searched });
bindListFilters(go);
bindViews(showView);
find(part, "[data-clear-all]").addEventListener("click", () => go({ period: DEFAULTS.period, model: "", client: "", purpose: "", q: "", ...NO_LIST_FILTERS }));
find(part, "[data-again]").addEventListener("click", reload);
document.addEventListener("archive:collected", () => { renew(); reload(); });
onReturn(reload);
document.addEventListener("archive:gone", () => { if (!answer) showNothing(); });
document.addEventListener("archive:status", ({ detail: { status, ended } }) => {
  if (status) noteDay(dayOf(status.server_time));
  // The list stays as it is: a reload would lose the reader's place.
  if (ended) renew();
});
learnColours();
follow();

/** Reloads the names after a collection: there may be new models, clients and purposes. */
function renew() {
  forgetNames();
  showNames();
  learnColours();
}

/**
 * Follows the day of the server: on an open page, "today" changes at midnight.
 * @param {string} today
 */
async function noteDay(today) {
  // If the page cannot be read, the next status update tries again.
  const isAnother = await filters.renewDay(today).catch(() => false);
  if (isAnother && filters.state.period !== "all") reload();
}

/** Loads the names, which set the colours of the models, and paints the rows again. */
function learnColours() {
  loadNames().then(() => { list.paintRows(); panel.paintPanel(); }, () => {});
}

/**
 * The parameters that the list and its export share.
 * @param {Pick<import("./records/list_address.js").Asked, "q" | "order" | "only">} asked
 * @returns {ManyParams}
 */
function chosen({ q, order, only }) {
  const given = { ...filters.span, ...namesOf(filters.state), q, ...only, order };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value));
}

/**
 * Shows the records with a text in their prompts; settles once they are shown.
 * @param {string} text
 * @param {{typed: boolean, replace: boolean}} how
 */
async function searchFor(text, { typed, replace }) {
  isTyped = typed;
  go({ q: text, page: "" }, { replace });
  isTyped = false;
  await loading;
}

/** @param {string} query */
function showView(query) {
  history.pushState(null, "", query ? `${location.pathname}?${query}` : location.pathname);
  // As Back and Forward do: every part of the page follows the address.
  window.dispatchEvent(new PopStateEvent("popstate"));
}

/** Shows the state of the address; only what changed is loaded. */
function follow() {
  tidyAddress();
  const now = asked();
  const params = { ...chosen(now), page: now.page, size: now.size };
  const wanted = String(queryFrom(params));
  // If the search is the same, unfinished input stays.
  if (now.q !== searched && !isTyped) needle.value = now.q;
  searched = now.q;
  showListFilters(now.only);
  showErased(part, filters.span);
  list.showOrder(now.order);
  if (wanted !== read) {
    read = wanted;
    loading = load(params, now, isTyped);
  }
  showPanel(now);
}

function reload() {
  read = "";
  follow();
}

/**
 * @param {ManyParams} params
 * @param {import("./records/list_address.js").Asked} now
 * @param {boolean} waits Whether it waits in silence where the server asks for it.
 */
async function load(params, now, waits) {
  reading.abort();
  reading = new AbortController();
  const { signal } = reading;
  setBusy(true, now.q);
  markOutdated(read !== shown);
  const found = await readList(params, signal, waits).catch((error) => { if (!signal.aborted) fail(error); });
  if (signal.aborted) return;
  setBusy(false);
  if (!found) return;
  // Past the end: there may have been more pages when the link was created.
  if (found.page > found.pages) go({ page: found.pages > 1 ? String(found.pages) : "" }, { replace: true });
  else show(found, params, now);
}

/**
 * Marks rows, counts and export that answer other filters than those of the address.
 * @param {boolean} outdated
 */
function markOutdated(outdated) {
  part.toggleAttribute("data-outdated", outdated);
  if (outdated) dropExport();
}

/** @param {boolean} busy */
function setBusy(busy, q = "") {
  part.setAttribute("aria-busy", String(busy));
  showSearching(busy && q !== "");
}

/**
 * @param {Paged<ListedRecord>} found
 * @param {ManyParams} params
 * @param {import("./records/list_address.js").Asked} now
 */
function show(found, params, now) {
  const { items, total, page } = found;
  const turned = answer && answer.page !== page;
  const all = Object.keys(params).every((name) => ["order", "page", "size"].includes(name));
  answer = found;
  shown = read;
  markOutdated(false);
  archived = total > 0 || (archived && !all);
  byId("nothing-yet").hidden = archived;
  byId("archived").hidden = !archived;
  failed.hidden = true;
  find(part, "[data-empty]").hidden = total > 0;
  list.showRows(items, patternOf(now.q), (id) => addressWith("record", id));
  showHead(found);
  showExport(found, chosen(now));
  showPager(found, (number) => addressWith("page", number > 1 ? String(number) : ""));
  showPanel(asked());
  if (turned && part.getBoundingClientRect().top < 0) part.scrollIntoView();
}

/** @param {Error} error */
function fail(error) {
  // What is shown stays, dimmed, until the server answers again.
  if (isGone() && answer) return;
  answer = null;
  shown = "";
  markOutdated(false);
  // Rows of other filters would be mistaken for current ones.
  showNothing();
  find(part, "[data-failed-text]").textContent = error.message;
  failed.hidden = isGone();
}

/** Empties the list; the reason is in the failure, or in the notice of a server that is gone. */
function showNothing() {
  list.hideRows();
  hidePager();
  hideHead(isGone() ? gettext("Not loaded yet.") : "");
  hideExport();
  find(part, "[data-empty]").hidden = true;
}

/** @param {Pick<import("./records/list_address.js").Asked, "record" | "q">} asked */
function showPanel({ record, q }) {
  // An empty archive has no records and no panel.
  if (record && archived) {
    panel.showRecord(record, patternOf(q));
    panel.showSteps(...stepsFrom(record));
  } else {
    const left = panel.hideRecord();
    if (left !== null) list.focusRow(list.placeOf(left));
  }
  list.showOpen(record);
}

/**
 * Whether there is a record before and after this one, on its page or on the neighbouring pages.
 * @param {string} record
 * @returns {[boolean, boolean]}
 */
function stepsFrom(record) {
  const place = list.placeOf(record);
  if (place < 0 || !answer) return [false, false];
  return [place > 0 || answer.page > 1, place < list.lastPlace() || answer.page < answer.pages];
}

/**
 * Opens the record after or before the open one, without a new history entry: Back returns to where the first one was opened.
 * @param {number} by
 */
async function step(by) {
  const place = list.placeOf(asked().record);
  if (place < 0) return;
  let next = list.idAt(place + by);
  if (next === undefined && turn(by, { replace: true })) {
    await loading;
    next = list.idAt(by > 0 ? 0 : list.lastPlace());
  }
  if (next !== undefined) go({ record: next }, { replace: true });
}

/** @param {number} by */
function move(by) {
  if (panel.isOpen()) step(by);
  else list.moveFocus(by);
}

/**
 * Goes to another page; false if there is none.
 * @param {number} by
 * @param {{replace?: boolean} | undefined} [way]
 */
function turn(by, way) {
  const page = answer ? answer.page + by : 0;
  if (!answer || page < 1 || page > answer.pages) return false;
  go({ page: page > 1 ? String(page) : "" }, way);
  return true;
}

/**
 * Filters the list by a field of the open record; closes the record if it covers the list.
 * @param {import("./records/record_panel.js").Filtered} name
 * @param {WholeRecord} record
 */
function filterBy(name, { day, model, client, agent_purpose: purpose }) {
  const changes = name === "day" ? { period: "custom", from: day, to: day } : { [name]: { model, client, purpose }[name] || WITHOUT };
  go(panel.isOver() ? { ...changes, record: "" } : changes);
}
