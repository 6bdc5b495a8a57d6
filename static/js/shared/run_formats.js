// Formats of a run: outcome, trigger, days and duration.

import { spanWords, wallClock } from "./formats.js";
import { fill, gettext, ofCredential } from "./i18n.js";

const NO_COOKIE = 2;
const UNFINISHED = new Set(["queued", "running"]);
/** @type {Record<string, string>} */
const OUTCOMES = {
  queued: gettext("Waiting"), running: gettext("Running"), ok: gettext("Done"), failed: gettext("Failed"), interrupted: gettext("Interrupted"),
};
/** @type {Record<number, string>} */
const FAILURES = {
  1: gettext("Internal error"), [NO_COOKIE]: ofCredential(gettext("No cookie"), gettext("No credential")),
  3: ofCredential(gettext("Cookie unreadable"), gettext("Credential unreadable")), 4: ofCredential(gettext("Cookie expired"), gettext("Credential refused")), 5: gettext("%(service)s failed"),
  7: gettext("Account full"),
};
/** @type {Record<string, string>} */
const TRIGGERS = {
  manual: gettext("you"), schedule: gettext("schedule"), startup: gettext("schedule (catch-up)"), cli: gettext("command line"),
  imported: gettext("imported"),
};

/** @type {Record<string, string>} */
const KINDS = {
  collection: gettext("Collection"), older: gettext("Older calls"), verification: gettext("Verification"), import: gettext("Import"),
};

// A run by its kind and status, as the frame names it.
/** @type {Record<string, string>} */
const TITLES = {
  queued: gettext("Collection waiting"), running: gettext("Collecting"), ok: gettext("Collected"),
  failed: gettext("Collection failed"), interrupted: gettext("Collection interrupted"),
};
/** @type {Record<string, Record<string, string>>} */
const TITLES_OF_KIND = {
  verification: {
    queued: gettext("Verification waiting"), running: gettext("Verifying"), ok: gettext("Verification done"),
    failed: gettext("Verification failed"), interrupted: gettext("Verification interrupted"),
  },
  import: {
    queued: gettext("Import waiting"), running: gettext("Importing"), ok: gettext("Import done"),
    failed: gettext("Import failed"), interrupted: gettext("Import interrupted"),
  },
};

/** @param {Pick<Run, "status">} run */
export const isOver = (run) => !UNFINISHED.has(run.status);

/** @param {Run} run */
export const outcomeWords = (run) => FAILURES[run.exit_code ?? 0] ?? OUTCOMES[run.status] ?? run.status;

/**
 * What a run is or was, such as "Collecting" or "Verification failed".
 * @param {{status: string, kind?: string, exit_code?: number | null}} run
 */
export function titleWords(run) {
  if (lackedCookie(run)) return gettext("Nothing was collected");
  const { kind = "", status } = run;
  return TITLES_OF_KIND[kind]?.[status] ?? TITLES[status] ?? status;
}

/**
 * The outcome of a run as the frame marks it: without a cookie it had nothing to collect with, which is no alarm.
 * @param {{status: string, exit_code?: number | null}} run
 */
export const outcomeMark = (run) => (lackedCookie(run) ? "none" : run.status);

/** @param {{exit_code?: number | null}} run */
const lackedCookie = ({ exit_code: code }) => code === NO_COOKIE;

/** @param {Run} run */
export const kindWords = (run) => KINDS[run.kind] ?? run.kind;

/** @param {Run} run */
export const triggerWords = (run) => TRIGGERS[run.trigger] ?? run.trigger;

/**
 * The days that a run covers; a waiting run has none yet.
 * @param {Partial<Pick<Run, "win_from" | "win_to">>} run
 */
export function windowWords({ win_from: from, win_to: to }) {
  if (!from || !to) return "–";
  return spanWords(from.slice(0, 10), to.slice(0, 10));
}

/**
 * A duration to the second; below ten seconds to the tenth.
 * @param {number} milliseconds
 */
export function lasted(milliseconds) {
  if (milliseconds < 9950) return fill(gettext("%(seconds)s s"), { seconds: (milliseconds / 1000).toFixed(1) });
  const seconds = Math.round(milliseconds / 1000);
  const full = Math.floor(seconds / 60);
  if (full < 1) return fill(gettext("%(seconds)s s"), { seconds });
  if (full < 60) return fill(gettext("%(minutes)s min %(seconds)s s"), { minutes: full, seconds: seconds % 60 });
  return fill(gettext("%(hours)s h %(minutes)s min"), { hours: Math.floor(full / 60), minutes: full % 60 });
}

/**
 * A clock that starts at a time of the server; it returns milliseconds on the server's wall clock.
 * @param {string} timestamp
 */
export function clockFrom(timestamp) {
  const begun = wallClock(timestamp) - performance.now();
  return () => begun + performance.now();
}

/**
 * The duration of a run, until now if it is running.
 * @param {Run} run
 * @param {() => number} now
 */
export function tookWords(run, now) {
  if (run.status === "queued") return "–";
  return lasted(run.duration_ms ?? Math.max(0, now() - wallClock(run.started_at)));
}
