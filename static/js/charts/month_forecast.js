// The credits of the month so far, day by day, beside those of the month before, and where the month will end.

import { lengthOf, weekdayOf } from "./day_groups.js";
import { dayFrom } from "../shared/formats.js";

// The days before today that the forecast looks at: four of each weekday.
const LOOKS_BACK = 28;
const LEAST = 14;
// Eight of ten normally distributed values are within this many standard deviations of their mean.
const EIGHT_OF_TEN = 1.28;

/**
 * The running sums of this month and the one before, and the forecast; null without calls in both.
 * @param {Day[]} days
 * @param {string} today
 * @param {string | undefined} first The first day of the archive.
 * @param {(day: string) => boolean} [isUnknown] Whether a day is not archived.
 * @returns {MonthSoFar | null}
 */
export function monthSoFar(days, today, first, isUnknown = () => false) {
  const spent = new Map(days.map(({ d, c }) => [d, c]));
  const start = `${today.slice(0, 7)}-01`;
  const before = `${dayFrom(start, -1).slice(0, 7)}-01`;
  const now = running(spent, start, today);
  const then = running(spent, before, dayFrom(start, -1));
  if (!now.at(-1) && !then.at(-1)) return null;
  const end = dayFrom(`${dayFrom(start, 31).slice(0, 7)}-01`, -1);
  const unknown = { now: daysFrom(start, now.length).map(isUnknown), then: daysFrom(before, then.length).map(isUnknown) };
  const looked = daysFrom(dayFrom(today, -LOOKS_BACK), LOOKS_BACK).filter((day) => first && day >= first && !isUnknown(day));
  return { start, before, end, now, then, unknown, forecast: forecastOf(spent, today, end, now.at(-1) ?? 0, looked) };
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
 * Where the month ends if each day that is left is like the same weekday of the last four weeks; eight of ten months like
 * that end between `least` and `most`. Null if too few whole days are archived.
 * @param {Map<string, number>} spent
 * @param {string} today
 * @param {string} end
 * @param {number} soFar
 * @param {string[]} looked The archived days that the forecast looks at.
 */
function forecastOf(spent, today, end, soFar, looked) {
  if (looked.length < LEAST) return null;
  const mean = [0, 1, 2, 3, 4, 5, 6].map((weekday) => averageOf(looked.filter((day) => weekdayOf(day) === weekday).map((day) => spent.get(day) ?? 0)));
  const variance = averageOf(looked.map((day) => ((spent.get(day) ?? 0) - mean[weekdayOf(day)]) ** 2)) * (looked.length / (looked.length - 7));
  const left = daysFrom(dayFrom(today, 1), lengthOf(today, end) - 1);
  // What is left of today: the rest of a day like its weekday.
  const rest = Math.max(0, mean[weekdayOf(today)] - (spent.get(today) ?? 0));
  const expected = soFar + rest + left.reduce((sum, day) => sum + mean[weekdayOf(day)], 0);
  const margin = EIGHT_OF_TEN * Math.sqrt(variance * (left.length + (rest ? 1 : 0)));
  return { expected, least: Math.max(soFar, expected - margin), most: expected + margin };
}

/**
 * @param {string} first
 * @param {number} length
 */
const daysFrom = (first, length) => Array.from({ length }, (_, place) => dayFrom(first, place));

/** @param {number[]} values */
const averageOf = (values) => (values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : 0);
