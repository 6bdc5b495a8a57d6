// How collections are told: the words of a run, the frame's quiet status, and the one banner when there is something to say.

import { get } from "archive/api";
import { ago, minutes, whole } from "archive/formats";
import { fill, gettext } from "archive/words";

const UNFINISHED = new Set(["queued", "running"]);
const COOKIE_CODES = new Set([2, 3, 4]);
const REFUSED = 4;
// Causes of a failed exchange with the upstream that the account's owner, or an administrator, can mend.
const OF_USER_AGENT = new Set(["user_agent_refused", "request_forbidden", "request_not_sendable"]);
const OF_INSTANCE = new Set(["address_unknown", "address_moved", "address_leads_nowhere", "certificate_not_trusted"]);
const OUTCOMES = {
  queued: gettext("Waiting"), running: gettext("Running"), ok: gettext("Done"), failed: gettext("Failed"), interrupted: gettext("Interrupted"),
};
const FAILURES = {
  1: gettext("Internal error"), 2: gettext("No cookie"), 3: gettext("Cookie unreadable"), 4: gettext("Cookie expired"), 5: gettext("Upstream failed"),
};
const TRIGGERS = {
  manual: gettext("you"), schedule: gettext("schedule"), startup: gettext("schedule, caught up"), cli: gettext("command line"),
};
const LAST_WORDS = {
  queued: gettext("Collection waiting"), running: gettext("Collecting"), failed: gettext("Collection failed"), interrupted: gettext("Collection interrupted"),
};
const EXPIRED = gettext("Your cookie has expired. Until you paste a new one, the schedule tries only once a day.");
const FAILED_AS_EXPIRED = gettext("The last collection failed: your cookie has expired. Until you paste a new one, the schedule tries only once a day.");
const NOTHING_LOST = gettext("Nothing is lost: the next run reads what is missing.");
// Just after a start the workers have not been heard of yet: they get this long before they are missed.
const SCHEDULER_PATIENCE = 45_000;
const SCHEDULER_LOOK = 15_000;
// A page that stays open looks again: what it says may have become another meanwhile.
const LOOK = 60_000;
const MISSED_SINCE = "archive:scheduler-missed-since";
const lastRun = document.getElementById("last-run");
const banner = document.getElementById("banner");
let refused = "cookieRefused" in banner.dataset;
let short = "shortFrom" in banner.dataset ? windowWords({ win_from: banner.dataset.shortFrom, win_to: banner.dataset.shortTo }) : "";
let told = null; // the id of the run that the page tells of itself
let latest = null; // the last answer of the API
let nextLook;
let lookedAt = 0;

document.addEventListener("visibilitychange", () => { if (!document.hidden && Date.now() - lookedAt > LOOK / 2) loadStatus(); });

export const isOver = (run) => !UNFINISHED.has(run.status);

export const outcomeWords = (run) => FAILURES[run.exit_code] ?? OUTCOMES[run.status] ?? run.status;

export const triggerWords = (run) => TRIGGERS[run.trigger] ?? run.trigger;

/** The days that a run covers, or none yet where it waits. */
export function windowWords({ win_from: from, win_to: to }) {
  if (!from) return "–";
  const [first, last] = [from.slice(0, 10), to.slice(0, 10)];
  return first === last ? first : fill(gettext("%(first)s to %(last)s"), { first, last });
}

/** How long something took, to the second; to the tenth where it was quick. */
export function lasted(milliseconds) {
  if (milliseconds == null) return "–";
  if (milliseconds < 9950) return fill(gettext("%(seconds)s s"), { seconds: (milliseconds / 1000).toFixed(1) });
  const seconds = Math.round(milliseconds / 1000);
  const full = Math.floor(seconds / 60);
  if (full < 1) return fill(gettext("%(seconds)s s"), { seconds });
  if (full < 60) return fill(gettext("%(minutes)s min %(seconds)s s"), { minutes: full, seconds: seconds % 60 });
  return fill(gettext("%(hours)s h %(minutes)s min"), { hours: Math.floor(full / 60), minutes: full % 60 });
}

/** A clock that goes on from a time of the server; it gives milliseconds of the server's wall clock. */
export function clockFrom(timestamp) {
  const begun = wallClock(timestamp) - performance.now();
  return () => begun + performance.now();
}

/** How long a run took, or has taken until now. */
export function tookWords(run, now) {
  if (run.status === "queued") return "–";
  return lasted(run.duration_ms ?? Math.max(0, now() - wallClock(run.started_at)));
}

/** What to do about how a run ended: a sentence, with where it leads; null where nothing is to be done. */
export function advice(run) {
  if (COOKIE_CODES.has(run.exit_code)) return { text: NOTHING_LOST, href: "/config", link: gettext("Paste a new cookie in the settings") };
  if (run.exit_code === 1) return { text: gettext("Try again. If it fails again, tell the administrator the event id.") };
  if (run.exit_code === 6) return { text: gettext("Nothing is lost: the next run completes it. Collect starts one now.") };
  if (run.exit_code !== 5) return null;
  if (OF_USER_AGENT.has(run.cause)) return { text: NOTHING_LOST, href: "/config#user_agent", link: gettext("Check the User-Agent in the settings") };
  if (run.cause === "cookie_too_large") return { text: "", href: "/config", link: gettext("Paste a shorter cookie in the settings") };
  if (OF_INSTANCE.has(run.cause)) return { text: gettext("An administrator can change this in the settings.") };
  return { text: gettext("Nothing is lost: the next run asks again for what is missing. Collect starts one now.") };
}

/** Shows an advice, or hides its place. */
export function showAdvice(place, given) {
  place.hidden = !given;
  if (!given) return;
  place.textContent = given.text;
  if (given.href) place.append(given.text ? " " : "", linkTo(given.href, given.link));
}

/** Notes how a run ended that the page has followed: only a collection tells whether a cookie is good. */
export function noteEnd(run) {
  told = run.id;
  learn(run);
}

function learn(run) {
  if (run.exit_code === REFUSED) refused = true;
  if (run.exit_code !== 0) return;
  refused = false;
  // It read what earlier ones had left.
  short = "";
}

/** Notes which run the page tells of, null for none: the banner does not repeat it. */
export function noteTold(id) {
  told = id;
  if (latest) showBanner(latest);
}

/** Notes that the cookie is another one now. */
export function noteCookie() {
  refused = false;
}

/**
 * Reads /api/status and shows it, now and from time to time; the answer, or null where it cannot be had. The page is told
 * each time: `archive:status` with the `status` and whether a run has `ended` that nobody followed here, or the `error`.
 */
export async function loadStatus() {
  clearTimeout(nextLook);
  lookedAt = Date.now();
  let wait = LOOK;
  try {
    const status = await get("/api/status");
    const ended = hasEnded(status.last_run);
    if (ended) learn(status.last_run);
    latest = status;
    showLastRun(status);
    showBanner(status);
    if (status.is_admin && !status.scheduler.running) wait = SCHEDULER_LOOK;
    announce({ status, ended });
    return status;
  } catch (error) {
    announce({ error });
    lastRun.textContent = gettext("Status unknown");
    lastRun.title = error.message;
    lastRun.dataset.outcome = "unknown";
    lastRun.hidden = false;
    return null;
  } finally {
    clearTimeout(nextLook);
    // Who does not look at the page is told when they do.
    nextLook = setTimeout(() => { if (!document.hidden) loadStatus(); }, wait);
  }
}

const announce = (detail) => document.dispatchEvent(new CustomEvent("archive:status", { detail }));

/** Whether the last run is one that was not over, or not there, at the last look. */
function hasEnded(run) {
  if (!latest || !run || !isOver(run) || run.id === told) return false;
  return latest.last_run?.id !== run.id || !isOver(latest.last_run);
}

function showLastRun({ last_run: run, server_time: now }) {
  lastRun.hidden = !run;
  if (!run) return;
  const outcome = LAST_WORDS[run.status] ?? gettext("Collected");
  lastRun.textContent = run.finished_at ? fill(gettext("%(outcome)s %(when)s"), { outcome, when: ago(run.finished_at, now) }) : outcome;
  lastRun.href = `/runs/${run.id}`;
  lastRun.dataset.outcome = run.status;
  lastRun.title = fill(gettext("%(time)s: %(fetched)s fetched, %(added)s new, %(known)s known. %(message)s"), {
    time: minutes(run.finished_at ?? run.started_at),
    fetched: whole(run.fetched), added: whole(run.added), known: whole(run.dup),
    message: run.message,
  });
}

function showBanner(status) {
  const { text, linked } = bannerFor(status);
  banner.hidden = !text;
  // What is unchanged is not read out again.
  if (banner.dataset.said === text) return;
  banner.dataset.said = text;
  banner.textContent = text;
  if (linked && location.pathname !== "/config") banner.append(" ", linkTo("/config", gettext("Open settings")));
}

function bannerFor({ last_run: run, ...status }) {
  const isTold = run !== null && run.id === told;
  const ofCookie = isTold && COOKIE_CODES.has(run.exit_code) ? null : cookieBanner(status, run);
  return ofCookie ?? schedulerBanner(status) ?? (isTold ? null : runBanner(run)) ?? { text: "" };
}

function cookieBanner({ cookie_broken: broken, cookie_set: set }, run) {
  if (broken) return { text: gettext("Your cookie cannot be read any more, so nothing is collected: paste it again."), linked: true };
  // The first steps say it better.
  if (!set && !document.querySelector("#first-steps:not([hidden])")) return { text: gettext("No cookie is set, so nothing new is collected."), linked: true };
  if (set && refused) return { text: run?.exit_code === REFUSED ? FAILED_AS_EXPIRED : EXPIRED, linked: true };
  return null;
}

function schedulerBanner({ is_admin: admin, scheduler }) {
  if (!admin || !isMissed(scheduler)) return null;
  return { text: gettext("The scheduler is not running: nothing is collected by itself, for any account. Start the service with its workers, or look into its log.") };
}

/** What the last run left open. */
function runBanner(run) {
  if (!run || !isOver(run)) return null;
  if (run.status === "failed" && !COOKIE_CODES.has(run.exit_code)) return { text: fill(gettext("The last collection failed. %(message)s"), { message: run.message }), linked: Boolean(advice(run)?.href) };
  return short ? { text: fill(gettext("Calls of %(days)s may be missing: a collection of them broke off. The next one reads them; Collect starts it now."), { days: short }) } : null;
}

/** Whether the scheduler has been silent for longer than a start takes; remembered from page to page. */
function isMissed({ running }) {
  if (running) {
    sessionStorage.removeItem(MISSED_SINCE);
    return false;
  }
  const since = Number(sessionStorage.getItem(MISSED_SINCE)) || Date.now();
  sessionStorage.setItem(MISSED_SINCE, since);
  return Date.now() - since >= SCHEDULER_PATIENCE;
}

function linkTo(href, text) {
  const link = document.createElement("a");
  link.href = href;
  link.textContent = text;
  return link;
}

const wallClock = (timestamp) => Date.parse(`${timestamp.replace(" ", "T")}Z`);
