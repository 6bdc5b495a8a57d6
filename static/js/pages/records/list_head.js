// The head of the list: which of the records are shown, and the sums of all that it finds.

import { credits, share, spent, whole } from "../../shared/formats.js";
import { fill, gettext } from "../../shared/i18n.js";
import { find } from "../../shared/page_elements.js";

// After this many milliseconds a search shows that it is running.
const PATIENCE = 700;
const said = find(document, "#records [data-said]");
const sums = find(document, "[data-sums]");
let waiting = 0;
let counted = ""; // what the head says while nothing is searched

/** @param {Paged<ListedRecord>} answer */
export function showHead(answer) {
  const { items, total, page, size } = answer;
  const first = (page - 1) * size + 1;
  const places = { first: whole(first), last: whole(first + items.length - 1), total: whole(total) };
  counted = total ? fill(gettext("%(first)s to %(last)s of %(total)s"), places) : "";
  said.textContent = counted;
  showSums(answer);
}

/** @param {Paged<ListedRecord>} answer */
function showSums({ total, sums: found }) {
  sums.hidden = !total || !found;
  if (!found) return;
  const texts = { sum: spent(found), average: found.amount === null ? "–" : credits(found.avg), free: share(found.free, total) };
  sums.textContent = fill(gettext("Sum %(sum)s · average %(average)s · %(free)s free"), texts);
}

/**
 * Shows a search that takes long.
 * @param {boolean} searching
 */
export function showSearching(searching) {
  clearTimeout(waiting);
  if (said.hasAttribute("data-searching")) said.textContent = counted;
  said.removeAttribute("data-searching");
  if (!searching) return;
  waiting = setTimeout(() => {
    said.textContent = gettext("Searching the prompts…");
    said.setAttribute("data-searching", "");
  }, PATIENCE);
}

/**
 * Empties the head.
 * @param {string} text What it says instead of the count.
 */
export function hideHead(text) {
  counted = text;
  said.textContent = text;
  sums.hidden = true;
}
