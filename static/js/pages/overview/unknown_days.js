// What the figures say of days that are not archived: zero is not unknown.

import { dayFrom, whole } from "../../shared/formats.js";
import { fill, ngettext } from "../../shared/i18n.js";

/** @typedef {import("../../charts/ledger_days.js").Ledger} Ledger */

/**
 * Whether anything is known of a span: it has calls, or the ledger has a day of it that was read.
 * @param {Ledger | undefined} ledger
 * @param {Required<Span>} span
 * @param {number} calls
 */
export const isKnown = (ledger, span, calls) => calls > 0 || Boolean(ledger && !ledger.isBlank(span));

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
