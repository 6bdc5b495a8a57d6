// What the figures say of days that are not archived: zero is not unknown.

import { missingWords } from "../../charts/ledger_days.js";
import { dayFrom, whole } from "../../shared/formats.js";
import { fill, ngettext } from "../../shared/i18n.js";
import { find } from "../../shared/page_elements.js";

/** @typedef {import("../../charts/ledger_days.js").Ledger} Ledger */

/**
 * Says how many days of the period that can be fetched, and of those that it is compared with, are not archived; if none
 * is, whether a day is missing. The words lead to the strip of the ledger, or where the page has none to that of all days.
 * @param {HTMLElement} part
 * @param {Ledger | undefined} ledger
 * @param {Required<Span>} span
 * @param {Required<Span> | null} before
 */
export function showUnknown(part, ledger, span, before) {
  const [link, earlier] = ["[data-unknown]", "[data-unknown-before]"].map((place) => find(part, place));
  const count = ledger?.unknownWithin(span).unread ?? 0;
  const countBefore = (before && ledger?.unknownWithin(before).count) ?? 0;
  const missing = find(part, "[data-missing]");
  missing.textContent = ledger && !count ? missingWords(ledger.within(span)) : "";
  missing.hidden = !missing.textContent;
  link.hidden = !count;
  link.textContent = fill(ngettext("%(count)s day not archived", "%(count)s days not archived", count), { count: whole(count) });
  earlier.hidden = !countBefore;
  earlier.textContent = beforeWords(countBefore);
}

/**
 * Whether anything is known of a span: it has calls, or the ledger has a day of it that was read.
 * @param {Ledger | undefined} ledger
 * @param {Required<Span>} span
 * @param {number} calls
 */
export const isKnown = (ledger, span, calls) => calls > 0 || Boolean(ledger && !ledger.unknownWithin(span).all);

/** @param {number} count */
export const beforeWords = (count) => fill(
  ngettext("%(count)s of the days compared with is not archived", "%(count)s of the days compared with are not archived", count), { count: whole(count) },
);

/**
 * Which points of a trend have no archived day. Each point is `days` days, and the last one ends with the span.
 * @param {Ledger | undefined} ledger
 * @param {Required<Span>} span
 * @param {number} days
 * @returns {(values: number[]) => boolean[]}
 */
export const unknownPoints = (ledger, { from, to }, days) => (values) => values.map((_, place) => {
  const end = dayFrom(to, -days * (values.length - 1 - place));
  const start = dayFrom(end, 1 - days);
  return Boolean(ledger?.unknownWithin({ from: start < from ? from : start, to: end }).all);
});
