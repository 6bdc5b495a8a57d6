// The Collect buttons of the frame and of the pages, and the live progress of a run.

import { at } from "./addresses.js";
import { get, post } from "./api.js";
import { isGone, onReturn } from "./connection.js";
import { countDown, isCounting } from "./countdown.js";
import { whole } from "./formats.js";
import { idOfShown, isOfFiles } from "./own_archive.js";
import { advice, showAdvice } from "./run_advice.js";
import { isOver, outcomeMark, titleWords, windowWords } from "./run_formats.js";
import { noteCookie, noteFollowed, noteShown } from "./status_banner.js";
import { loadStatus } from "./status_polling.js";
import { fill, gettext } from "./i18n.js";
import { byId, find, findAll, focused, targetOf } from "./page_elements.js";
import { whenVisible } from "./visibility.js";

const POLL = 1000;
const POLL_AFTER_FAILURE = 5000;
// A notice that needs no action leaves after this many milliseconds, unless the pointer or the focus is in it.
const STAY = 10_000;
const panel = byId("run");
const parts = Object.fromEntries(findAll(panel, "[data-run]").map((node) => [node.dataset.run, node]));
const menu = find(document, "details.menu", HTMLDetailsElement);
/** @type {Record<string, number>} */
const COOKIE_CODES = { no_cookie: 2, cookie_broken: 3, cookie_expired: 4 };
// Enough to find the running one behind those that wait.
const NEWEST = 10;
/** @type {number | null} The id of the run that is followed. */
let followed = null;
/** @type {number | undefined} */
let leaving;
/** @type {number | null} The id of the run whose progress the reader has hidden. */
let putAway = null;

for (const button of findAll(document, "[data-collect]", HTMLButtonElement)) button.addEventListener("click", () => { if (!isCounting(button)) collect(); });
parts.close.addEventListener("click", leave);
parts.hide.addEventListener("click", () => { putAway = followed; panel.hidden = true; });
parts.stop.addEventListener("click", stop);
menu.addEventListener("keydown", closeMenu);
// A link to an anchor on this page would leave the menu open.
menu.addEventListener("click", (event) => { if (targetOf(event).closest("a")) menu.open = false; });
document.addEventListener("archive:status", ({ detail: { status } }) => { if (status) offer(status); });
document.addEventListener("archive:cookie", () => { noteCookie(); loadStatus(); });
onReturn(takeUp);
takeUp();

/**
 * Collects the given days of the shown archive, or all archives from their marks on, and follows the run of the shown
 * one in the panel of the frame: the interval between two collections counts for the account.
 * @param {Span} [span]
 */
export async function collect(span) {
  const pressed = focused()?.closest("[data-collect]");
  setBusy(true);
  putAway = null;
  try {
    const areAll = !span && document.querySelector("a[data-archive-choice]");
    const { run_id: id } = areAll
      ? await post("/api/collect?archive=all", { background: true, begin_with: Number(idOfShown()) })
      : await post("/api/collect", { background: true, ...span });
    await follow(id).catch((error) => {
      // The shown archive cannot be collected any more: the others are.
      if (!areAll || error.status !== 404) throw error;
    });
  } catch (error) {
    refused(error);
    if (error.code === "busy") await takeUp();
  } finally {
    setBusy(followed !== null);
    // A disabled button loses the focus.
    if (document.activeElement === document.body) /** @type {HTMLElement | null | undefined} */ (pressed)?.focus();
  }
}

/**
 * Offers the way to the cookie instead of the button while none is set: nothing could be collected. Files need none.
 * @param {Status} status
 */
function offer({ cookie_set: isUsable, cookie_broken: isBroken, token }) {
  const isMissing = !isUsable && !isBroken && !token;
  byId("collect").hidden = isMissing;
  byId("set-cookie").hidden = !isMissing || isOfFiles();
}

/** @param {KeyboardEvent} event */
function closeMenu({ key }) {
  if (key !== "Escape" || !menu.open) return;
  menu.open = false;
  find(menu, "summary").focus();
}

/** Follows a run that is already in progress when the page opens, or when the server answers again. */
async function takeUp() {
  const status = await loadStatus();
  if (!status?.running_lock || followed !== null) return;
  try {
    const waiting = (await get("/api/runs", { limit: String(NEWEST) })).items.filter((/** @type {Run} */ run) => !isOver(run));
    const run = waiting.find((/** @type {Run} */ run) => run.status === "running") ?? waiting.at(-1);
    if (!run) return;
    setBusy(true);
    await follow(run.id);
  } catch (error) {
    refused(error);
  } finally {
    setBusy(followed !== null);
  }
}

/** @param {number} id */
async function follow(id) {
  if (followed === id) return;
  followed = id;
  document.dispatchEvent(new CustomEvent("archive:collecting"));
  try {
    noteFollowed(await untilOver(id));
  } finally {
    followed = null;
  }
  document.dispatchEvent(new CustomEvent("archive:collected"));
  await loadStatus();
}

/**
 * Shows the run until it is over.
 * @param {number} id
 */
async function untilOver(id) {
  for (;;) {
    const run = await look(id);
    if (run) {
      show(run);
      if (isOver(run)) return run;
    }
    await new Promise((resume) => { setTimeout(resume, run ? POLL : POLL_AFTER_FAILURE); });
    await whenVisible();
  }
}

/**
 * The current state of the run; null if the server could not be reached, so that the caller tries again.
 * @param {number} id
 * @returns {Promise<Run | null>}
 */
async function look(id) {
  try {
    return await get(`/api/runs/${id}`);
  } catch (error) {
    if (error.status === 401 || error.status === 404) throw error;
    // The notice of a server that does not answer says it once for the whole page.
    if (!isGone()) parts.line.textContent = fill(gettext("%(message)s Trying again."), { message: error.message });
    return null;
  }
}

/** Asks the run to stop after its page; the panel keeps following it. */
async function stop() {
  parts.stop.disabled = true;
  parts.stop.textContent = gettext("Stopping…");
  try {
    await post(`/api/runs/${followed}/stop`);
  } catch (error) {
    parts.line.textContent = error.message;
    offerStop();
  }
}

function offerStop() {
  parts.stop.disabled = false;
  parts.stop.textContent = gettext("Stop");
}

/** @param {Partial<Run> & Pick<Run, "status">} run */
function show(run) {
  const over = isOver(run);
  document.dispatchEvent(new CustomEvent("archive:run", { detail: run }));
  // The page of the run shows all of this.
  panel.hidden = location.pathname === at(`/runs/${run.id}`) || (putAway !== null && putAway === run.id && run.status !== "failed");
  mark(outcomeMark(run));
  panel.removeAttribute("data-refused");
  put(parts.title, titleOf(run));
  parts.bar.hidden = over;
  parts.close.hidden = !over;
  parts.hide.hidden = over || !run.id;
  parts.stop.hidden = over || !run.id;
  if (parts.stop.hidden) offerStop();
  parts.link.href = at(`/runs/${run.id}`);
  for (const name of /** @type {const} */ (["fetched", "added", "dup"])) parts[name].textContent = whole(run[name] ?? 0);
  parts.window.textContent = windowWords(run);
  parts.line.textContent = over ? run.message : lastLine(run.detail);
  const next = over ? advice(run) : null;
  showAdvice(parts.advice, next);
  // Only one next step: a link that solves the problem replaces the one to the details.
  parts.link.hidden = !run.id || Boolean(next?.href);
  clearTimeout(leaving);
  if (over && !panel.hidden && run.status !== "failed") leaveSoon();
}

/** @param {Partial<Run> & Pick<Run, "status">} run */
function titleOf(run) {
  const isCollection = run.kind !== "verification" && run.kind !== "import";
  return run.status === "ok" && isCollection ? fill(gettext("Collected: %(count)s new"), { count: whole(run.added) }) : titleWords(run);
}

/**
 * Setting the same text would make screen readers repeat it.
 * @param {HTMLElement} place
 * @param {string} text
 */
function put(place, text) {
  if (place.textContent !== text) place.textContent = text;
}

/** @param {string} outcome */
function mark(outcome) {
  panel.dataset.outcome = parts.title.dataset.outcome = outcome;
}

/** Hides the notice; the banner then reports what still needs action. */
function leave() {
  clearTimeout(leaving);
  panel.hidden = true;
  noteShown(null);
}

function leaveSoon() {
  leaving = setTimeout(() => (panel.matches(":hover, :focus-within") ? leaveSoon() : leave()), STAY);
}

/** @param {string | null} [detail] */
function lastLine(detail) {
  return (detail ?? "").trimEnd().split("\n").at(-1) ?? "";
}

/** @param {import("./api.js").ApiError} error */
function refused(error) {
  // One notice is enough: the dialog of an ended session, or that of a server that does not answer.
  panel.hidden = !error.message || error.code === "unauthorized" || isGone() || error.retryAfter > 0;
  if (error.retryAfter) wait(error);
  if (panel.hidden) return;
  // Too soon, another collection runs, or there is nothing to collect with: this is not a failure.
  mark(error.status === 429 || ["busy", "no_cookie"].includes(error.code) ? "wait" : "failed");
  panel.setAttribute("data-refused", "");
  put(parts.title, gettext("Nothing was collected"));
  parts.line.textContent = error.message;
  parts.bar.hidden = true;
  parts.close.hidden = false;
  parts.stop.hidden = true;
  parts.hide.hidden = true;
  parts.link.hidden = true;
  showAdvice(parts.advice, advice({ exit_code: COOKIE_CODES[error.code] }));
  clearTimeout(leaving);
  if (panel.dataset.outcome === "wait" && parts.advice.hidden) leaveSoon();
}

/**
 * Counts the seconds to wait on the buttons.
 * @param {import("./api.js").ApiError} error
 */
function wait({ message, retryAfter }) {
  const said = byId("collect-said");
  said.textContent = message;
  for (const button of findAll(document, "[data-collect]")) countDown(button, retryAfter, () => { said.textContent = ""; }, said);
}

/** @param {boolean} busy */
function setBusy(busy) {
  for (const button of findAll(document, "[data-collect]", HTMLButtonElement)) {
    button.disabled = busy || ("needsCookie" in button.dataset && !document.querySelector('[data-cookie="set"]'));
  }
}
