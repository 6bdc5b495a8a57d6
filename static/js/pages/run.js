// One run: its figures, its outcome with advice, its log, which is followed while it runs, and the button that stops it.

import { get, post } from "../shared/api.js";
import { onReturn } from "../shared/connection.js";
import { whole } from "../shared/formats.js";
import { advice, showAdvice } from "../shared/run_advice.js";
import { clockFrom, isOver, kindWords, outcomeWords, tookWords, triggerWords, windowWords } from "../shared/run_formats.js";
import { noteShown } from "../shared/status_banner.js";
import { gettext } from "../shared/i18n.js";
import { byId, find } from "../shared/page_elements.js";
import { whenVisible } from "../shared/visibility.js";

const POLL = 1500;
const POLL_AFTER_FAILURE = 5000;
// Within this distance from its end, in pixels, the log counts as scrolled to the end.
const AT_END = 8;
const page = byId("one-run");
const address = `/api/runs/${page.dataset.id}`;
const log = byId("log");
const stop = find(page, "[data-stop]", HTMLButtonElement);
const stopSaid = find(page, "[data-stop-said]");
const failed = find(page, "[data-failed]");
const now = clockFrom(page.dataset.now ?? "");
let asked = "asked" in page.dataset;
/** @type {string | null} The lines of the log that are shown. */
let shown = null;
/** @type {number | undefined} */
let next;

noteShown(Number(page.dataset.id));
stop.addEventListener("click", askToStop);
find(page, "[data-again]").addEventListener("click", load);
onReturn(load);
load();

async function load() {
  clearTimeout(next);
  /** @type {number | null} */
  let wait = null;
  try {
    const run = await get(address);
    show(run);
    failed.hidden = true;
    if (!isOver(run)) wait = POLL;
  } catch (error) {
    find(page, "[data-failed-text]").textContent = error.message;
    failed.hidden = false;
    // Signed out or deleted: another request would not help.
    if (error.status !== 401 && error.status !== 404) wait = POLL_AFTER_FAILURE;
  }
  page.setAttribute("aria-busy", "false");
  clearTimeout(next);
  if (wait) next = setTimeout(() => { whenVisible().then(load); }, wait);
}

/** @param {Run} run */
function show(run) {
  const over = isOver(run);
  const words = outcomeWords(run);
  const outcome = find(page, '[data-fact="outcome"]');
  outcome.dataset.outcome = run.status;
  // Setting the same text would make screen readers repeat it.
  if (outcome.textContent !== words) outcome.textContent = words;
  find(page, "progress").hidden = run.status !== "running";
  for (const name of /** @type {const} */ (["fetched", "added", "dup", "conflicts"])) figure(name, whole(run[name]));
  figure("total", over ? whole(run.total) : "–");
  fact("kind", kindWords(run));
  fact("trigger", triggerWords(run));
  fact("window", windowWords(run));
  fact("started", run.status === "queued" ? "–" : run.started_at);
  fact("ended", run.finished_at ?? "–");
  fact("took", tookWords(run, now));
  const message = find(page, "[data-message]");
  message.textContent = run.message;
  message.hidden = !run.message;
  showAdvice(find(page, "[data-advice]"), over ? advice(run) : null);
  find(page, "[data-report]").hidden = run.kind !== "verification" || run.status !== "ok";
  showLog(run.detail ?? "", over);
  showStop(over);
}

/**
 * @param {string} detail
 * @param {boolean} over
 */
function showLog(detail, over) {
  const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight <= AT_END;
  if (shown !== null && detail.startsWith(shown)) {
    // The existing text stays: it may be selected.
    if (detail.length > shown.length) log.append(detail.slice(shown.length));
  } else {
    log.textContent = detail;
  }
  const follows = atEnd && !over;
  // A run that is over is shown from its beginning; one that was followed stays at its end.
  if (follows || (atEnd && shown !== null)) log.scrollTop = log.scrollHeight;
  shown = detail;
  log.hidden = !detail;
  const none = find(page, "[data-no-log]");
  none.hidden = Boolean(detail);
  none.textContent = over ? gettext("This run has no log.") : gettext("The log starts with the first page.");
  find(page, "[data-following]").textContent = over ? "" : gettext("live");
}

/** @param {boolean} over */
function showStop(over) {
  stop.hidden = over;
  stop.disabled = asked;
  stop.textContent = asked ? gettext("Stopping…") : gettext("Stop");
  if (over) stopSaid.textContent = "";
  else if (asked && !stopSaid.textContent) stopSaid.textContent = gettext("It stops after the current page.");
}

async function askToStop() {
  asked = true;
  showStop(false);
  try {
    stopSaid.textContent = (await post(`${address}/stop`)).message;
  } catch (error) {
    asked = false;
    showStop(false);
    stopSaid.textContent = error.message;
  }
  await load();
}

/**
 * @param {string} name
 * @param {string} text
 */
function figure(name, text) {
  find(page, `[data-figure="${name}"]`).textContent = text;
}

/**
 * @param {string} name
 * @param {string} text
 */
function fact(name, text) {
  find(page, `[data-fact="${name}"]`).textContent = text;
}
