// Advice after a run has ended, with a link to the place where the problem is solved.

import { credentialPlace } from "./credential_place.js";
import { gap, gettext } from "./i18n.js";

const COOKIE_CODES = new Set([2, 3, 4]);
// Causes of a failed exchange with the upstream that the account's owner or an administrator can repair.
const OF_USER_AGENT = new Set(["user_agent_refused", "request_forbidden", "request_not_sendable"]);
const OF_INSTANCE = new Set(["address_unknown", "address_moved", "address_leads_nowhere", "certificate_not_trusted"]);
const NOTHING_LOST = gettext("No data is lost. The next run reads what is missing.");
/** @type {Record<string, string>} */
const WHEN_INTERRUPTED = {
  older: gettext("What was read is stored. Fetch older calls again to continue from there."),
  verification: gettext("A verification changes nothing. Start it again for a report."),
  import: gettext("What was stored stays. Import the file again for the rest: nothing is stored twice."),
};

/**
 * @typedef {{text: string, href?: string, link?: string}} Advice A sentence and a link.
 * @typedef {{exit_code?: number | null, cause?: string, kind?: string}} Ended How a run ended.
 */

/**
 * Whether a run ended because of its cookie.
 * @param {Ended} run
 */
export const isOfCookie = ({ exit_code: code }) => COOKIE_CODES.has(code ?? 0);

/**
 * The advice for the outcome of a run; null if there is nothing to do.
 * @param {Ended} run
 * @returns {Advice | null}
 */
export function advice(run) {
  if (isOfCookie(run)) return { text: NOTHING_LOST, ...credentialPlace(gettext("Paste a new cookie in the settings")) };
  if (run.exit_code === 1) return { text: gettext("Try again. If it fails again, give the event id to an administrator.") };
  if (run.exit_code === 6 && run.kind && run.kind in WHEN_INTERRUPTED) return { text: WHEN_INTERRUPTED[run.kind] };
  if (run.exit_code === 6) return { text: gettext("No data is lost. The next run completes this one. Press Collect to start it now.") };
  if (run.exit_code === 7) return { text: gettext("An administrator can change this in the settings.") };
  return run.exit_code === 5 ? upstreamAdvice(run.cause ?? "") : null;
}

/**
 * @param {string} cause
 * @returns {Advice}
 */
function upstreamAdvice(cause) {
  if (OF_USER_AGENT.has(cause)) return { text: NOTHING_LOST, ...credentialPlace(gettext("Check the User-Agent in the settings"), "#user_agent") };
  if (cause === "cookie_too_large") return { text: "", ...credentialPlace(gettext("Paste a shorter cookie in the settings")) };
  if (OF_INSTANCE.has(cause)) return { text: gettext("An administrator can change this in the settings.") };
  return { text: gettext("No data is lost. The next run requests what is missing again. Press Collect to start it now.") };
}

/**
 * Shows an advice; hides the place if there is none.
 * @param {HTMLElement} place
 * @param {Advice | null} given
 */
export function showAdvice(place, given) {
  place.hidden = !given;
  if (!given) return;
  place.textContent = given.text;
  if (given.href) place.append(given.text ? gap : "", linkTo(given.href, given.link ?? given.href));
}

/**
 * @param {string} href
 * @param {string} text
 */
export function linkTo(href, text) {
  const link = document.createElement("a");
  link.href = href;
  link.textContent = text;
  return link;
}
