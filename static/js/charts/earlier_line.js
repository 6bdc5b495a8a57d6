// The earlier period as a line behind the bars: its value beside each bar, day for day from its first one.

import { lengthOf, longName } from "./day_groups.js";
import { credits, dayFrom, whole } from "../shared/formats.js";
import { gettext } from "../shared/i18n.js";

/** @typedef {import("./ledger_days.js").Ledger} Ledger */

/** @type {Record<string, (day: EarlierDay) => number>} */
const OF_DAY = { credits: ({ c }) => c, calls: ({ k }) => k, free: ({ k }) => k };
/** @type {Record<string, (item: EarlierItem) => number>} */
const OF_HOUR = { credits: (item) => item.credits, calls: ({ calls }) => calls, free: ({ calls }) => calls };

/**
 * The line of the days before, for groups of days that begin with `from`; none without earlier calls.
 * @param {(Comparison & {days: EarlierDay[]}) | undefined} comparison
 * @param {DayGroup[]} groups
 * @param {string} show
 * @param {string} [archivedFrom] The first day of the archive; nothing is known before it.
 * @param {Ledger} [ledger] The line has a gap where none of the days is archived.
 * @returns {EarlierLine | undefined}
 */
export function lineOfDays(comparison, groups, show, archivedFrom = "", ledger = undefined) {
  const { from, to } = comparison?.window ?? {};
  if (!from || !to || !comparison?.totals.calls || isUnpriced(comparison, show)) return undefined;
  const values = new Map(comparison.days.map((day) => [day.d, OF_DAY[show](day)]));
  const first = groups[0].from;
  const spans = groups.map((group) => [group.from, group.to].map((day) => dayFrom(from, lengthOf(first, day) - 1)));
  return lineOf(show, spans.map(([start, end]) => {
    if (start > to || end < archivedFrom || ledger?.unknownWithin({ from: start, to: end }).all) return null;
    let sum = 0;
    for (let day = start; day <= end && day <= to; day = dayFrom(day, 1)) sum += values.get(day) ?? 0;
    return sum;
  }), spans.map(([start, end]) => longName({ from: start, to: end < to ? end : to })));
}

/**
 * The line of the hours of a day before.
 * @param {Dims["comparison"]} comparison
 * @param {DimItem[]} hours
 * @param {string} show
 * @returns {EarlierLine | undefined}
 */
export function lineOfHours(comparison, hours, show) {
  const items = comparison?.items.hour;
  if (!items || !comparison?.totals.calls || comparison.window.days !== 1 || isUnpriced(comparison, show)) return undefined;
  const last = comparison.until?.slice(0, 2) ?? "23";
  const { from: day } = comparison.window;
  return lineOf(show, hours.map(({ name }) => (name > last ? null : OF_HOUR[show](items[name]))), hours.map(() => longName({ from: day ?? "", to: day ?? "" })));
}

/**
 * Whether none of the earlier amounts is known.
 * @param {Comparison} comparison
 * @param {string} show
 */
const isUnpriced = ({ totals }, show) => show === "credits" && totals.amount === null;

/**
 * @param {string} show
 * @param {(number | null)[]} values
 * @param {string[]} days The days of each value.
 * @returns {EarlierLine}
 */
const lineOf = (show, values, days) => ({ name: gettext("Before"), values, days, format: show === "credits" ? credits : whole });
