// Whether the server answers. While it does not, one notice is shown and the page is marked, which dims what it shows; when it
// answers again, the parts of the page load by themselves.

import { at } from "./addresses.js";
import { attendance } from "./attendance.js";
import { wallClock } from "./formats.js";
import { fill, gettext } from "./i18n.js";

const LOOK = 4000;
// Answers of a proxy whose server is gone.
const OF_A_PROXY = new Set([502, 503, 504]);
const root = document.documentElement;
let answeredAt = 0;
/** @type {number | null} The wall clock of the server at the start of this page. */
let begun = null;
/** @type {Promise<boolean> | null} */
let looking = null;
/** @type {number | undefined} */
let nextLook;

document.addEventListener("visibilitychange", () => { if (!document.hidden && isGone()) look(); });
window.addEventListener("online", () => { if (isGone()) look(); });

export const isGone = () => "gone" in root.dataset;

/**
 * Runs `load` when requests may succeed again: after a new sign-in, and when the server answers again.
 * @param {() => unknown} load
 */
export function onReturn(load) {
  for (const name of /** @type {const} */ (["archive:signed-in", "archive:back"])) document.addEventListener(name, load);
}

/**
 * Notes the time of the server, for the notice.
 * @param {string} timestamp
 */
export function noteTime(timestamp) {
  begun = wallClock(timestamp) - performance.now();
}

/** Notes that the server has answered. */
export function noteAnswer() {
  answeredAt = performance.now();
  if (!isGone()) return;
  clearTimeout(nextLook);
  delete root.dataset.gone;
  showNotice("");
  document.dispatchEvent(new CustomEvent("archive:back"));
}

/**
 * Notes that a request had no answer: the server is gone if a second one has none either. Returns whether the second one was
 * answered, so that the first one can be repeated.
 * @returns {Promise<boolean>}
 */
export async function noteSilence() {
  return !isGone() && !document.hidden && look();
}

/**
 * Whether a status without a JSON body is that of a proxy whose server is gone.
 * @param {number} status
 */
export const isOfProxy = (status) => OF_A_PROXY.has(status);

function look() {
  looking ??= askForStatus().finally(() => { looking = null; });
  return looking;
}

/** Asks the API: a proxy may answer other paths while it refuses these. JSON of any status is an answer of the server. */
async function askForStatus() {
  clearTimeout(nextLook);
  const signal = AbortSignal.timeout(LOOK);
  const answers = await fetch(at("/api/status"), { cache: "no-store", credentials: "same-origin", headers: attendance(), signal })
    .then((response) => response.json()).then(() => true, () => false);
  if (!answers) noteGone();
  else if (isGone()) noteAnswer();
  return answers;
}

function noteGone() {
  if (!isGone()) {
    root.dataset.gone = "";
    const since = begun === null ? "" : new Date(begun + answeredAt).toISOString().slice(11, 16);
    const known = gettext("The server does not answer. This page shows what it was at %(time)s, and loads again as soon as the server answers.");
    showNotice(since ? fill(known, { time: since }) : gettext("The server does not answer. This page loads again as soon as it does."));
    document.dispatchEvent(new CustomEvent("archive:gone"));
  }
  // A hidden page looks when it becomes visible.
  nextLook = setTimeout(() => { if (!document.hidden) look(); }, LOOK);
}

/** @param {string} text */
function showNotice(text) {
  const notice = document.getElementById("gone");
  if (!notice) return;
  notice.textContent = text;
  notice.hidden = !text;
}
