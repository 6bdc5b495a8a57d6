// Polls the status of the archive and shows the last run in the frame.

import { at } from "./addresses.js";
import { get } from "./api.js";
import { noteTime } from "./connection.js";
import { ago, minutes, whole } from "./formats.js";
import { fill, gettext } from "./i18n.js";
import { byId } from "./page_elements.js";
import { isOver, outcomeMark, titleWords } from "./run_formats.js";
import { isShown, noteEnd, showBanner } from "./status_banner.js";

// An open page polls again, in milliseconds: the status may have changed.
const LOOK = 60_000;
const SCHEDULER_LOOK = 15_000;
const lastRun = byId("last-run", HTMLAnchorElement);
/** @type {Status | null} */
let latest = null;
/** @type {number | undefined} */
let nextLook;
let lookedAt = 0;

document.addEventListener("visibilitychange", () => { if (!document.hidden && (!nextLook || Date.now() - lookedAt > LOOK / 2)) loadStatus(); });
document.addEventListener("archive:gone", () => showUnknown(new Error(gettext("The server cannot be reached."))));

/** The last answer of /api/status; null before the first one. */
export const knownStatus = () => latest;

/**
 * Reads /api/status, shows it and polls it from then on; returns the answer, or null after an error. Each time an event
 * `archive:status` carries the `status` and whether a run has `ended` that this page did not follow, or the `error`.
 */
export async function loadStatus() {
  clearTimeout(nextLook);
  lookedAt = Date.now();
  let wait = LOOK;
  try {
    const status = /** @type {Status} */ (await get("/api/status"));
    take(status);
    if (status.is_admin && !status.scheduler.running) wait = SCHEDULER_LOOK;
    return status;
  } catch (error) {
    showUnknown(/** @type {Error} */ (error));
    return null;
  } finally {
    clearTimeout(nextLook);
    // A hidden page polls when it becomes visible.
    nextLook = setTimeout(() => {
      nextLook = undefined;
      if (!document.hidden) loadStatus();
    }, wait);
  }
}

/** @param {Status} status */
function take(status) {
  const { last_run: run, server_time: time } = status;
  noteTime(time);
  const ended = run !== null && hasEnded(run);
  if (ended) noteEnd(run);
  latest = status;
  showLastRun(status);
  showBanner(status);
  announce({ status, ended });
}

/** @param {StatusDetail} detail */
const announce = (detail) => document.dispatchEvent(new CustomEvent("archive:status", { detail }));

/**
 * Whether the last run has ended since the last poll.
 * @param {Run} run
 */
function hasEnded(run) {
  if (!latest || !isOver(run) || isShown(run)) return false;
  return latest.last_run?.id !== run.id || !isOver(latest.last_run);
}

/** @param {Status} status */
function showLastRun({ last_run: run, server_time: now }) {
  lastRun.hidden = !run;
  if (!run) return;
  const outcome = titleWords(run);
  lastRun.textContent = run.finished_at ? fill(gettext("%(outcome)s %(when)s"), { outcome, when: ago(run.finished_at, now) }) : outcome;
  lastRun.href = at(`/runs/${run.id}`);
  lastRun.dataset.outcome = outcomeMark(run);
  lastRun.title = fill(gettext("%(time)s: %(fetched)s fetched, %(added)s new, %(known)s already known. %(message)s"), {
    time: minutes(run.finished_at ?? run.started_at),
    fetched: whole(run.fetched), added: whole(run.added), known: whole(run.dup),
    message: run.message,
  });
}

/** @param {Error} error */
function showUnknown(error) {
  announce({ error });
  lastRun.textContent = gettext("Status unknown");
  lastRun.title = error.message;
  lastRun.dataset.outcome = "unknown";
  lastRun.hidden = false;
}
