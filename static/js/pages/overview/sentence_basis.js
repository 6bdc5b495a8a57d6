// What may be said of a period: whether all of its calls are here, until when they were read, and what it may be compared with.

import { isComplete } from "./complete_days.js";
import { daysOf, isArchived } from "./figures.js";
import { isKnown } from "./unknown_days.js";
import { lengthOf } from "../../charts/day_groups.js";
import { day as dayOf, dayFrom, wallClock } from "../../shared/formats.js";

/** @typedef {import("../../charts/ledger_days.js").Ledger} Ledger */
/** @typedef {import("./sentence.js").Asked} Asked */

// Milliseconds after the last reading during which a figure counts as present.
const FRESH = 15 * 60_000;
/** @type {Set<DayState>} Of such a day, what was read is complete. */
const UNREAD = new Set(["open", "unasked"]);

/**
 * `isWhole`: every call of the days is here, as far as they were read. `isKnown`: anything is known of them. `lateSince`: until
 * when they were read, where that is before their end. `earlier`: what they may be compared with.
 * @param {Asked} asked
 */
export function basisOf(asked) {
  const { summary, ledger, span, first, state } = asked;
  const { comparison, calls } = summary;
  const days = comparison ? daysOf(comparison) : null;
  // Some calls have no purpose, or none that is known.
  const isWhole = !state.purpose && areRead(asked, span);
  // A call of unknown amount may cost anything.
  const isPriced = !summary.without_amount && !comparison?.totals.without_amount;
  const isFit = isWhole && isPriced && comparison && days && isArchived(comparison, first) && areAll(ledger, days, isComplete);
  return { isWhole, isKnown: !ledger || isKnown(ledger, span, calls), lateSince: lateSince(asked), earlier: isFit ? comparison : null };
}

/**
 * Whether every call of these days is here, as far as they were read. The last reading may have been within today or yesterday:
 * what followed is said to be unread.
 * @param {Pick<Asked, "ledger" | "readUntil" | "today">} asked
 * @param {Required<Span>} span
 */
export function areRead({ ledger, readUntil, today }, span) {
  const read = dayOf(readUntil);
  const isRecent = read >= dayFrom(today, -1);
  return areAll(ledger, span, (day) => isComplete(day) || (isRecent && day.d >= read && UNREAD.has(day.state)));
}

/**
 * Whether the ledger lists all days of a span, and says this of each.
 * @param {Ledger | undefined} ledger
 * @param {Required<Span>} span
 * @param {(day: CoverageDay) => boolean} isSo
 */
function areAll(ledger, { from, to }, isSo) {
  const days = ledger?.within({ from, to }) ?? [];
  return days.length === lengthOf(from, to) && days.every(isSo);
}

/** @param {Asked} asked */
function lateSince({ summary: { partial }, readUntil, span: { to } }) {
  if (!readUntil) return "";
  const now = partial ? wallClock(`${partial.date} ${partial.hhmm}:00`) - FRESH : Infinity;
  return wallClock(readUntil) < Math.min(now, wallClock(`${to} 23:59:59`)) ? readUntil : "";
}
