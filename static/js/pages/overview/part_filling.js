// A part of the page while its reads are under way: what it shows of other filters is dimmed at once,
// and stays so while the server does not answer.

import { isGone } from "../../shared/connection.js";
import { gettext } from "../../shared/i18n.js";
import { find } from "../../shared/page_elements.js";

// Milliseconds after which a table is filled even while the browser is busy.
const LONGEST_WAIT = 300;

/** Resolves when the browser has nothing else to do. */
export const idle = () => /** @type {Promise<void>} */ (new Promise((done) => {
  if ("requestIdleCallback" in window) requestIdleCallback(() => done(), { timeout: LONGEST_WAIT });
  else setTimeout(done);
}));

/**
 * Fills a part once its reads are complete, or shows the error in its place. An answer for `key` is shown only while the
 * part waits for it.
 * @template Given
 * @param {HTMLElement} node
 * @param {string} key What the part is asked for.
 * @param {() => Promise<Given>} read
 * @param {(given: Given) => unknown} show
 * @param {AbortSignal} signal
 */
export async function fillPart(node, key, read, show, signal) {
  const failed = find(node, "[data-failed]");
  const isOver = () => signal.aborted || node.dataset.asked !== key;
  node.dataset.asked = key;
  node.setAttribute("aria-busy", "true");
  node.toggleAttribute("data-outdated", node.dataset.shown !== undefined && node.dataset.shown !== key);
  try {
    const given = await read();
    if (isOver()) return;
    await show(given);
    if (isOver()) return;
    node.dataset.shown = key;
    failed.hidden = true;
  } catch (error) {
    if (isOver()) return;
    find(failed, "[data-failed-text]").textContent = error.message;
    // One notice says it for all parts, which then load again.
    failed.hidden = isGone();
  }
  const isOther = node.dataset.shown !== key;
  const stays = isOther && isGone() && "outdated" in node.dataset && !("void" in node.dataset);
  node.toggleAttribute("data-outdated", stays);
  // Values of other filters would be mistaken for current ones.
  if (isOther && !stays) node.dataset.void = gettext("Not loaded yet.");
  else delete node.dataset.void;
  node.setAttribute("aria-busy", "false");
}
