// The application's log: its newest lines, followed while the page is visible. The view does not move after scrolling up.

import { at } from "../shared/addresses.js";
import { ApiError, get } from "../shared/api.js";
import { attendance } from "../shared/attendance.js";
import { noteSilence, onReturn } from "../shared/connection.js";
import { whole } from "../shared/formats.js";
import { fill, gettext, ngettext } from "../shared/i18n.js";
import { byId, fieldOf, find, findAll } from "../shared/page_elements.js";

const POLL = 2000;
const POLL_AFTER_FAILURE = 5000;
// Within this distance from its end, in pixels, the log counts as scrolled to the end.
const AT_END = 8;
// The most lines that are kept after scrolling up; then the log stops until it is scrolled to the end.
const MOST_HELD = 6000;
const HEAD = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (DEBUG|INFO|WARNING|ERROR|CRITICAL) /;
/** @type {Record<string, number>} */
const RANKS = { DEBUG: 1, INFO: 2, WARNING: 3, ERROR: 4, CRITICAL: 5 };
const part = byId("logs");
const form = find(part, "form", HTMLFormElement);
const log = byId("log");
const empty = find(part, "[data-empty]");
const failed = find(part, "[data-failed]");
const pause = find(part, "[data-pause]");
const toEnd = find(part, "[data-end]");
const said = find(part, "[data-said]");
const following = find(part, "[data-following]");
const [amount, level] = ["lines", "level"].map((name) => fieldOf(form, name, HTMLSelectElement));
const text = fieldOf(form, "q");
/** @typedef {{level: string, lines: HTMLElement[]}} LogEntry A line with a level, and the lines that continue it. */

/** @type {LogEntry[]} */
let entries = [];
let held = false;
/** @type {number | undefined} */
let next;

takeFromAddress();
form.addEventListener("submit", (event) => event.preventDefault());
amount.addEventListener("change", () => { keepInAddress(); clear(); load(); });
for (const field of [level, text]) field.addEventListener("input", () => { keepInAddress(); filter(); });
pause.addEventListener("click", () => { pause.ariaPressed = String(!isPaused()); pause.textContent = isPaused() ? gettext("Resume") : gettext("Pause"); load(); });
find(part, "[data-copy]").addEventListener("click", copy);
find(part, "[data-again]").addEventListener("click", load);
toEnd.addEventListener("click", () => { scrollToEnd(); log.focus(); load(); });
log.addEventListener("scroll", showWhere);
onReturn(load);
document.addEventListener("visibilitychange", () => { if (!document.hidden) load(); });
load();

function isPaused() {
  return pause.ariaPressed === "true";
}

async function load() {
  clearTimeout(next);
  showWhere();
  if (isPaused()) return;
  /** @type {number | null} */
  let wait = POLL;
  const lines = amount.value;
  try {
    const fresh = await newestLines(lines);
    // During the request the log may have been paused, or another number of lines chosen.
    if (!isPaused() && lines === amount.value) take(fresh);
    failed.hidden = true;
  } catch (error) {
    find(part, "[data-failed-text]").textContent = error.message;
    failed.hidden = false;
    wait = error.status === 401 || error.status === 403 ? null : POLL_AFTER_FAILURE;
  }
  part.setAttribute("aria-busy", "false");
  clearTimeout(next);
  if (wait && !isPaused()) next = setTimeout(() => { if (!document.hidden) load(); }, wait);
}

/**
 * @param {string} lines
 * @returns {Promise<string[]>}
 */
async function newestLines(lines) {
  const response = await fetch(at(`/logs/tail?lines=${lines}`), { redirect: "manual", headers: attendance() }).catch(async () => {
    await noteSilence();
    throw new ApiError(0, "unreachable", gettext("The server cannot be reached."));
  });
  // A signed-out page is redirected to the sign-in page; this API call opens the dialog that every page has for it.
  if (response.type === "opaqueredirect") await get("/api/status");
  const { status } = response;
  if (!response.ok) throw new ApiError(status, "", fill(gettext("The server answered with status %(status)s."), { status }));
  return (await response.text()).split("\n").slice(0, -1);
}

/**
 * Shows the newest lines. Lines that are already shown stay as they are, because they may be selected.
 * @param {string[]} fresh
 */
function take(fresh) {
  const shown = [...log.childNodes].map((line) => line.textContent);
  const known = overlap(shown, fresh);
  const added = fresh.length - known;
  const atEnd = isAtEnd();
  held = !atEnd && added > 0 && (known === 0 || shown.length + added > MOST_HELD);
  if (!held) {
    if (known === 0) clear();
    for (const line of fresh.slice(known)) add(line);
    while (atEnd && log.childNodes.length > fresh.length) dropFirst();
  }
  showEmpty();
  if (atEnd) scrollToEnd();
  showWhere();
}

/**
 * The number of fresh lines that are already at the end of those shown.
 * @param {(string | null)[]} shown
 * @param {string[]} fresh
 */
function overlap(shown, fresh) {
  for (let from = Math.max(0, shown.length - fresh.length); from < shown.length; from += 1) {
    const length = shown.length - from;
    if (shown[from] === fresh[0] && shown.slice(from).every((line, place) => line === fresh[place])) return length;
  }
  return 0;
}

/** @param {string} line */
function add(line) {
  const head = line.match(HEAD);
  if (head || !entries.length) entries.push({ level: head?.[1] ?? "", lines: [] });
  const entry = entries[entries.length - 1];
  const node = document.createElement("div");
  node.textContent = line;
  if (entry.level) node.dataset.level = entry.level;
  entry.lines.push(node);
  log.append(node);
  showEntry(entry);
}

function dropFirst() {
  entries[0].lines.shift()?.remove();
  if (!entries[0].lines.length) entries.shift();
}

function clear() {
  entries = [];
  log.replaceChildren();
}

function filter() {
  const atEnd = isAtEnd();
  entries.forEach(showEntry);
  showEmpty();
  if (atEnd) scrollToEnd();
  showWhere();
}

/**
 * Shows or hides an entry; a traceback is shown and hidden with the line before it.
 * @param {LogEntry} entry
 */
function showEntry(entry) {
  const wanted = text.value.toLowerCase();
  const fits = (RANKS[entry.level] ?? 0) >= (RANKS[level.value] ?? 0) && entry.lines.some((line) => line.textContent.toLowerCase().includes(wanted));
  for (const line of entry.lines) line.hidden = !fits;
}

function visibleLines() {
  return findAll(log, ":scope > :not([hidden])").map((line) => line.textContent);
}

function showEmpty() {
  const none = !log.querySelector(":scope > :not([hidden])");
  log.hidden = none;
  empty.hidden = !none;
  empty.textContent = entries.length ? gettext("No lines match these filters.") : gettext("The log is empty.");
}

function isAtEnd() {
  return log.hidden || log.scrollHeight - log.scrollTop - log.clientHeight <= AT_END;
}

function scrollToEnd() {
  log.scrollTop = log.scrollHeight;
}

/** Shows whether the log is followed. The text changes only with the state, so screen readers do not repeat it. */
function showWhere() {
  const words = whereWords();
  if (following.textContent !== words) following.textContent = words;
  toEnd.hidden = isAtEnd();
}

function whereWords() {
  if (isPaused()) return gettext("Paused.");
  if (held) return gettext("New lines are below.");
  return isAtEnd() ? gettext("Following the log.") : gettext("Following the log; you have scrolled up.");
}

async function copy() {
  const lines = visibleLines();
  try {
    await navigator.clipboard.writeText(`${lines.join("\n")}\n`);
    said.textContent = fill(ngettext("%(count)s line copied.", "%(count)s lines copied.", lines.length), { count: whole(lines.length) });
  } catch {
    // Browsers offer the clipboard only on localhost or over HTTPS.
    getSelection()?.selectAllChildren(log);
    said.textContent = gettext("The lines are selected; copy them with the keyboard.");
  }
}

function takeFromAddress() {
  const given = new URLSearchParams(location.search);
  for (const field of [amount, level]) {
    const value = given.get(field.name);
    if (value !== null && [...field.options].some((option) => option.value === value)) field.value = value;
  }
  text.value = given.get("q") ?? "";
}

function keepInAddress() {
  const set = [...[amount, level].filter((field) => field.selectedIndex !== 0), text].filter(({ value }) => value).map((field) => [field.name, field.value]);
  history.replaceState(null, "", set.length ? `?${new URLSearchParams(set)}` : location.pathname);
}
