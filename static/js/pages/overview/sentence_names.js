// The names of periods, days and months within sentences.

import { dayFrom, spanWords } from "../../shared/formats.js";
import { labelOf, DIMS } from "../../shared/filter_names.js";
import { fill, gettext, language, listed, ngettext } from "../../shared/i18n.js";
import { lengthOf } from "../../charts/day_groups.js";

/** @typedef {import("./sentence.js").Asked} Asked */

/** @param {Intl.DateTimeFormatOptions} options */
const format = (options) => new Intl.DateTimeFormat(language, { ...options, timeZone: "UTC" });
// The long Chinese name of a month alone is written without digits, unlike all other dates.
const MONTH = format({ month: language.startsWith("zh") ? "short" : "long" });
const MONTH_AND_YEAR = format({ month: "long", year: "numeric" });
const DAY = format({ month: "short", day: "numeric" });
const DAY_AND_YEAR = format({ month: "short", day: "numeric", year: "numeric" });
/** @param {string} day */
const at = (day) => new Date(`${day}T00:00:00Z`);

/**
 * The name of the month of a day; the year where it is another one.
 * @param {string} day
 * @param {string} today
 */
export const monthName = (day, today) => (day.slice(0, 4) === today.slice(0, 4) ? MONTH : MONTH_AND_YEAR).format(at(day));

/**
 * @param {string} day
 * @param {string} today
 */
export const shortDay = (day, today) => (day.slice(0, 4) === today.slice(0, 4) ? DAY : DAY_AND_YEAR).format(at(day));

/**
 * The month that days are, from its first day to its last or until today; empty if they are none.
 * @param {Required<Span>} span
 * @param {string} today
 */
export function monthOf({ from, to }, today) {
  const isMonth = from.endsWith("-01") && from < to && from.slice(0, 7) === to.slice(0, 7);
  return isMonth && (to === today || dayFrom(to, 1).endsWith("-01")) ? from.slice(0, 7) : "";
}

/**
 * The period, with the chosen model, client and purpose.
 * @param {Asked} asked
 */
export function nameOfPeriod({ span, today, state, label }) {
  const days = monthOf(span, today) ? monthName(span.from, today) : label || daysName(span, today);
  return listed([days, ...DIMS.filter((dim) => state[dim]).map((dim) => labelOf(dim, state[dim]))]);
}

/**
 * The days that a period is compared with, and until when the last of them counts.
 * @param {Asked} asked
 * @param {Comparison} earlier
 * @param {boolean} isLate Whether the period was read for less time than the earlier days count.
 */
export function nameOfEarlier({ span, today, summary: { partial } }, { window, until }, isLate) {
  const { from, to } = /** @type {Required<Span>} */ (window);
  const isMonth = from.endsWith("-01") && from.slice(0, 7) === to.slice(0, 7);
  if (isMonth && !until && dayFrom(to, 1).endsWith("-01")) return monthName(from, today);
  const isSamePoint = until && !isLate && until === partial?.hhmm && monthOf(span, today) && to.slice(8) === span.to.slice(8);
  if (isMonth && isSamePoint) return fill(gettext("%(month)s at this point"), { month: monthName(from, today) });
  const count = lengthOf(from, to);
  const isBefore = count > 1 && dayFrom(to, 1) === span.from && count === lengthOf(span.from, span.to);
  const days = isBefore ? fill(ngettext("the %(count)s day before", "the %(count)s days before", count), { count }) : daysName({ from, to }, today);
  return until ? fill(gettext("%(days)s until %(time)s"), { days, time: until }) : days;
}

/**
 * @param {Required<Span>} span
 * @param {string} today
 */
function daysName({ from, to }, today) {
  if (from === to) return from === dayFrom(today, -1) ? gettext("yesterday") : shortDay(from, today);
  return spanWords(from, to);
}
