// The banner above a page: it reports a problem with the cookie, the scheduler or the last run.

import { at } from "./addresses.js";
import { reread } from "./api.js";
import { credentialPlace } from "./credential_place.js";
import { whole } from "./formats.js";
import { fill, gap, gettext, ngettext, ofCredential } from "./i18n.js";
import { isOfFiles } from "./own_archive.js";
import { byId } from "./page_elements.js";
import { advice, isOfCookie, linkTo } from "./run_advice.js";
import { isOver } from "./run_formats.js";

const REFUSED = 4;
const EXPIRED = ofCredential(
  gettext("Your cookie has expired. Until you paste a new one, the schedule tries only once a day."),
  gettext("%(service)s refuses the credential. Until you set a new one, the schedule tries only once a day."),
);
const FAILED_AS_EXPIRED = ofCredential(
  gettext("The last collection failed: your cookie has expired. Until you paste a new one, the schedule tries only once a day."),
  gettext("The last collection failed: %(service)s refuses the credential. Until you set a new one, the schedule tries only once a day."),
);
const UNREADABLE = ofCredential(
  gettext("Your cookie cannot be read, so nothing is collected. Paste it again."),
  gettext("The credential cannot be read, so nothing is collected. Set it again."),
);
const TOKEN_REFUSED = gettext("CodeBuddy refuses the token. Until you paste a new one, the schedule tries only once a day.");
const TOKEN_UNREADABLE = gettext("The token cannot be read, so nothing is collected. Paste it again.");
const UNSET = ofCredential(gettext("No cookie is set, so nothing new is collected."), gettext("No credential is set, so nothing new is collected."));
// Milliseconds before the end of the cookie; accounts/credentials/cookie_lifetimes.py has the same.
const SOON = 2 * 86_400_000;
// Just after a start the workers have not reported yet; the banner waits this many milliseconds.
const SCHEDULER_PATIENCE = 45_000;
const MISSED_SINCE = `archive:scheduler-missed-since${at("")}`;
const banner = byId("banner");
let refused = "cookieRefused" in banner.dataset;
let missing = missingIn(banner);
/** @type {number | null} The id of the run that the page itself reports. */
let shownRun = null;
/** @type {Status | null} */
let shown = null;

/** @typedef {{text: string, href?: string, link?: string}} Said */

const SETTINGS = credentialPlace();
const ARCHIVES = { href: at("/archives"), link: gettext("Open archives") };
// Runs that store nothing that the upstream gives say nothing of the cookie.
const APART = new Set(["verification", "import"]);

/** @param {Run} run */
export const isShown = (run) => run.id === shownRun;

/**
 * Notes the outcome of a run: only a collection shows whether the cookie is accepted, and may change what is missing.
 * @param {Run} run
 */
export function noteEnd(run) {
  if (!APART.has(run.kind) && run.exit_code === REFUSED) refused = true;
  if (!APART.has(run.kind) && run.exit_code === 0) refused = false;
  if (missing) renewMissing();
}

/**
 * Notes the outcome of a run that the page has followed and reports.
 * @param {Run} run
 */
export function noteFollowed(run) {
  shownRun = run.id;
  noteEnd(run);
}

/**
 * Notes which run the page itself reports (null for none), so that the banner does not repeat it.
 * @param {number | null} id
 */
export function noteShown(id) {
  shownRun = id;
  if (shown) showBanner(shown);
}

/** Notes that the cookie was replaced. */
export function noteCookie() {
  refused = false;
}

/**
 * What the server found missing, in words; empty if nothing is.
 * @param {HTMLElement} rendered
 */
function missingIn({ dataset: { missing: count, missingFrom: first = "", missingTo: last = "" } }) {
  if (!count) return "";
  const text = ngettext("Calls of %(first)s may be missing.", "Calls of %(count)s days between %(first)s and %(last)s may be missing.", Number(count));
  return fill(text, { count: whole(Number(count)), first, last });
}

/** Asks the server again which days are missing: a run has ended. */
async function renewMissing() {
  try {
    missing = missingIn(byId("banner", HTMLElement, await reread()));
    if (shown) showBanner(shown);
  } catch {
    // The next page says it.
  }
}

/** @param {Status} status */
export function showBanner(status) {
  shown = status;
  const { text, href, link } = bannerFor(status);
  banner.hidden = !text;
  // Setting the same text would make screen readers repeat it.
  if (banner.dataset.said === text) return;
  banner.dataset.said = text;
  banner.textContent = text;
  if (href && link && location.pathname !== href) banner.append(gap, linkTo(href, link));
}

/**
 * @param {Status} status
 * @returns {Said}
 */
function bannerFor(status) {
  const run = status.last_run;
  const isShownHere = run !== null && isShown(run);
  const ofCookie = isShownHere && isOfCookie(run) ? null : cookieBanner(status);
  return ofCookie ?? schedulerBanner(status) ?? (isShownHere ? null : failureBanner(run)) ?? endBanner(status) ?? (isShownHere ? null : missingBanner(run)) ?? { text: "" };
}

/**
 * @param {Status} status
 * @returns {Said | null}
 */
function cookieBanner({ cookie_broken: broken, cookie_set: set, token, last_run: run }) {
  if (token && !set) return tokenBanner(token);
  if (broken) return { text: UNREADABLE, ...SETTINGS };
  // The first steps explain it better.
  if (!set && !isOfFiles() && !document.querySelector("#first-steps:not([hidden])")) return { text: UNSET, ...SETTINGS };
  if (set && refused) return { text: run?.exit_code === REFUSED ? FAILED_AS_EXPIRED : EXPIRED, ...SETTINGS };
  return null;
}

/**
 * The banner for a token without a cookie beside it.
 * @param {{broken: boolean}} token
 * @returns {Said | null}
 */
function tokenBanner({ broken }) {
  if (broken) return { text: TOKEN_UNREADABLE, ...ARCHIVES };
  return refused ? { text: TOKEN_REFUSED, ...ARCHIVES } : null;
}

/**
 * @param {Status} status
 * @returns {Said | null}
 */
function schedulerBanner({ is_admin: admin, scheduler }) {
  if (!admin || !isMissed(scheduler)) return null;
  return { text: gettext("The scheduler is not running, so nothing is collected automatically for any account. Start the service with its workers, or check its log.") };
}

/**
 * The banner for the last run if it failed.
 * @param {Run | null} run
 * @returns {Said | null}
 */
function failureBanner(run) {
  if (run?.status !== "failed" || isOfCookie(run)) return null;
  const text = fill(gettext("The last collection failed. %(message)s"), { message: run.message });
  return advice(run)?.href ? { text, ...SETTINGS } : { text };
}

/**
 * The banner for a cookie whose session ends soon, or has ended and was not tried since.
 * @param {Status} status
 * @returns {Said | null}
 */
function endBanner({ cookie_expires_at: ends, server_time: now, last_run: run }) {
  if (!ends || refused) return null;
  // All are wall clock of one zone.
  const left = Date.parse(ends) - Date.parse(now);
  if (left > SOON || (left <= 0 && run?.exit_code === 0 && run.started_at > ends)) return null;
  const text = left > 0 ? gettext("Your cookie ends on %(at)s. Copy a new one from your browser.") : gettext("Your cookie ended on %(at)s. Copy a new one from your browser.");
  return { text: fill(text, { at: ends.slice(0, 16) }), ...SETTINGS };
}

/**
 * The banner for missing calls; a run that is under way may bring them.
 * @param {Run | null} run
 * @returns {Said | null}
 */
function missingBanner(run) {
  if (!missing || (run && !isOver(run))) return null;
  return { text: missing, href: at("/runs#ledger"), link: gettext("Show the days") };
}

/**
 * Whether the scheduler has not reported for longer than a start takes; the time is kept across pages.
 * @param {Status["scheduler"]} scheduler
 */
function isMissed({ running }) {
  if (running) {
    sessionStorage.removeItem(MISSED_SINCE);
    return false;
  }
  const since = Number(sessionStorage.getItem(MISSED_SINCE)) || Date.now();
  sessionStorage.setItem(MISSED_SINCE, String(since));
  return Date.now() - since >= SCHEDULER_PATIENCE;
}
