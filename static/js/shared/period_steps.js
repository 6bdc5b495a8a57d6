// From a period to the one before or after it.

import { lengthOf } from "../charts/day_groups.js";
import { dayFrom } from "./formats.js";
import { CUSTOM } from "./periods.js";

// The range of the date fields.
const EARLIEST = "2000-01-01";
const MONTH = "month";

/**
 * The filters of the period before (`by` is -1) or after (1) a period; null where there is none until today, or none that
 * the archive reaches. A calendar month leads to a month, other days to as many days.
 * @param {Span} span
 * @param {number} by
 * @param {Calendar} calendar
 * @param {string} [first] The first day of the archive.
 * @param {string} [period] The name of the period, if it has one: on the first of a month, the day and the month are alike.
 * @returns {Pick<State, "period" | "from" | "to"> | null}
 */
export function stepped({ from, to }, by, calendar, first = "", period = "") {
  const { today } = calendar;
  if (!from || !to) return null;
  const areMonths = period === MONTH || isMonth({ from, to }, today);
  const [start, end] = areMonths ? monthBeside(from, by) : daysBeside({ from, to }, by, today);
  if (start > today || start < EARLIEST || end < first || (by > 0 && start <= from)) return null;
  return named({ from: start, to: end > today ? today : end }, calendar, areMonths);
}

/**
 * Whether a span is a calendar month, or the present one until today. The first of a month alone is a day.
 * @param {Required<Span>} span
 * @param {string} today
 */
function isMonth({ from, to }, today) {
  const end = lastOfMonth(from);
  return from.endsWith("-01") && from !== to && (to === end || (to === today && today < end));
}

/**
 * @param {string} from
 * @param {number} by
 */
function monthBeside(from, by) {
  const start = `${dayFrom(from, by > 0 ? 31 : -1).slice(0, 7)}-01`;
  return [start, lastOfMonth(start)];
}

/**
 * The days beside a span, as many as it has; they end today at the latest.
 * @param {Required<Span>} span
 * @param {number} by
 * @param {string} today
 */
function daysBeside({ from, to }, by, today) {
  const length = lengthOf(from, to);
  const moved = dayFrom(to, by * length);
  const end = by > 0 && moved > today ? today : moved;
  return [dayFrom(end, 1 - length), end];
}

/** @param {string} day */
const lastOfMonth = (day) => dayFrom(`${dayFrom(`${day.slice(0, 7)}-01`, 31).slice(0, 7)}-01`, -1);

/**
 * A span by the name of the period that has these days, a month by its own, or as days.
 * @param {Required<Span>} span
 * @param {Calendar} calendar
 * @param {boolean} areMonths
 */
function named({ from, to }, { periods }, areMonths) {
  const names = Object.keys(periods).filter((one) => periods[one].from === from && periods[one].to === to);
  const name = areMonths && names.includes(MONTH) ? MONTH : names[0];
  return name ? { period: name, from: "", to: "" } : { period: CUSTOM, from, to };
}
