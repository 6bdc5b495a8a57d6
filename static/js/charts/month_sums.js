// The credits of the month so far, day by day, beside those of the month before, with the forecast of its end.

import { lengthOf } from "./day_groups.js";
import { dayFrom } from "../shared/formats.js";

/**
 * The running sums of this month and the one before; null without calls in both.
 * @param {Day[]} days
 * @param {string} today
 * @param {Forecast | null} forecast The range of the end, if it is known for these days; one of another month is left out.
 * @param {(day: string) => boolean} [isUnknown] Whether a day is not archived.
 * @returns {MonthSoFar | null}
 */
export function monthSoFar(days, today, forecast, isUnknown = () => false) {
  const spent = new Map(days.map(({ d, c }) => [d, c]));
  const start = `${today.slice(0, 7)}-01`;
  const before = `${dayFrom(start, -1).slice(0, 7)}-01`;
  const now = running(spent, start, today);
  const then = running(spent, before, dayFrom(start, -1));
  if (!now.at(-1) && !then.at(-1)) return null;
  const end = dayFrom(`${dayFrom(start, 31).slice(0, 7)}-01`, -1);
  const unknown = { now: daysFrom(start, now.length).map(isUnknown), then: daysFrom(before, then.length).map(isUnknown) };
  return { start, before, end, now, then, unknown, forecast: rangeOf(forecast, start) };
}

/**
 * @param {Map<string, number>} spent
 * @param {string} from
 * @param {string} to
 */
function running(spent, from, to) {
  let sum = 0;
  return Array.from({ length: lengthOf(from, to) }, (_, place) => (sum += spent.get(dayFrom(from, place)) ?? 0));
}

/**
 * The range in which a month will end; null where it is not known.
 * @param {Forecast | null} forecast
 * @param {string} start The first day of the month.
 */
export function rangeOf(forecast, start) {
  if (forecast?.middle == null || forecast.month !== start.slice(0, 7)) return null;
  return { expected: forecast.middle, least: forecast.low, most: forecast.high };
}

/**
 * The ends of a range as they are shown: a forecast has no decimals, no more than three digits that say anything, and does not
 * end below what is spent.
 * @param {{least: number, most: number}} range
 * @param {number} spent
 */
export function shownRange({ least, most }, spent) {
  const [low, high] = [least, most].map((value) => Math.max(rounded(value), Math.ceil(spent)));
  return { least: low, most: high };
}

/** @param {number} value */
function rounded(value) {
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, value))) - 2);
  return Math.round(value / unit) * unit;
}

/**
 * @param {string} first
 * @param {number} length
 */
const daysFrom = (first, length) => Array.from({ length }, (_, place) => dayFrom(first, place));
