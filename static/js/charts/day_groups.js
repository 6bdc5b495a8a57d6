// Groups of days: gaps are filled, long spans are grouped by week or month. Also formats the names of groups.

import { dayFrom, spanWords } from "../shared/formats.js";
import { language } from "../shared/i18n.js";

const MOST_DAYS = 120;
const MOST_DAYS_BY_WEEK = 731;
// More bars than this are no longer bars.
const MOST_BARS = 400;
const DAY = 86_400_000;
const MONDAY = "2024-01-01";
/** @param {Intl.DateTimeFormatOptions} options */
const format = (options) => new Intl.DateTimeFormat(language, { ...options, timeZone: "UTC" });
const DAY_SHORT = format({ day: "numeric", month: "short" });
const MONTH = format({ month: "short", year: "numeric" });
const MONTH_NAME = format({ month: "short" });
const WEEKDAY = format({ weekday: "short" });
/** @param {string} day */
const at = (day) => new Date(`${day}T00:00:00Z`);

/**
 * The number of days from one day to another, including both.
 * @param {string} from
 * @param {string} to
 */
export const lengthOf = (from, to) => Math.round((at(to).getTime() - at(from).getTime()) / DAY) + 1;

/**
 * The place of a day in its week; Monday is 0.
 * @param {string} day
 */
export const weekdayOf = (day) => (at(day).getUTCDay() + 6) % 7;

/**
 * How a span of days is grouped: "day", "week" or "month".
 * @param {string} from
 * @param {string} to
 * @returns {Grain}
 */
export function grainOf(from, to) {
  const length = lengthOf(from, to);
  if (length <= MOST_DAYS) return "day";
  return length <= MOST_DAYS_BY_WEEK ? "week" : "month";
}

/**
 * Whether a span can be shown with one bar for each day, week or month.
 * @param {string} from
 * @param {string} to
 * @param {Grain} grain
 */
export function fits(from, to, grain) {
  return lengthOf(from, to) / { hour: 1, day: 1, week: 7, month: 30 }[grain] <= MOST_BARS;
}

/**
 * The first day of a day's group.
 * @param {string} day
 * @param {Grain} grain
 */
export function startOf(day, grain) {
  if (grain === "month") return `${day.slice(0, 7)}-01`;
  return grain === "week" ? dayFrom(day, -weekdayOf(day)) : day;
}

/**
 * A span without future days: with them, the API would compare a period that is not over as if it were whole.
 * @param {Span} span
 * @param {string} today
 * @returns {Span}
 */
export const untilToday = ({ from, to }, today) => ({ ...(from && { from }), ...(to && { to: to > today && !isToCome({ from }, today) ? today : to }) });

/**
 * Whether all days of a span are after today.
 * @param {Span} span
 * @param {string} today
 */
export const isToCome = ({ from }, today) => Boolean(from && from > today);

/**
 * The first and last day of a span; an open bound is where the days begin or end.
 * @param {Span} span
 * @param {Day[]} days
 * @param {string} today
 * @returns {[string, string]}
 */
export function endsOf({ from, to }, days, today) {
  const first = from ?? days[0]?.d ?? to ?? today;
  const last = to ?? days.at(-1)?.d ?? today;
  return first <= last ? [first, last] : [first, first];
}

/**
 * The part of a span from the first day of the archive to today, so that weekdays before and after do not count.
 * @param {[string, string]} span
 * @param {string | undefined} first
 * @param {string} today
 */
export function within([from, to], first = from, today = to) {
  return [first > from && first <= to ? first : from, today < to && today >= from ? today : to];
}

/**
 * The days of a span as groups without gaps, each with its sums. Days outside the span do not count.
 * @param {Day[]} days
 * @param {string} from
 * @param {string} to
 * @param {Grain} [grain]
 * @returns {{grain: Grain, groups: DayGroup[]}}
 */
export function groupsOf(days, from, to, grain = grainOf(from, to)) {
  /** @type {Map<string, DayGroup>} */
  const groups = new Map();
  for (let start = startOf(from, grain); start <= to;) {
    const next = nextOf(start, grain);
    const end = dayFrom(next, -1);
    groups.set(start, { from: start < from ? from : start, to: end > to ? to : end, credits: 0, calls: 0, free: 0, without_amount: 0, models: new Map(), tokens: { in: 0, out: 0, cache_read: 0, cache_write: 0 } });
    start = next;
  }
  for (const day of days) {
    if (day.d >= from && day.d <= to) addTo(/** @type {DayGroup} */ (groups.get(startOf(day.d, grain))), day);
  }
  return { grain, groups: [...groups.values()] };
}

/**
 * For each weekday the mean credits of each hour, and the number of such days in the span. Unknown days do not count; a
 * weekday with only such days has their state.
 * @param {Day[]} days
 * @param {string} from
 * @param {string} to
 * @param {(day: string) => UnknownState | null} [stateOf] The state of an unknown day.
 * @returns {Weekday[]}
 */
export function weekOf(days, from, to, stateOf = () => null) {
  /** @type {Weekday[]} */
  const week = Array.from({ length: 7 }, () => ({ count: 0, hours: Array(24).fill(0), unknown: null }));
  for (let day = from; day <= to; day = dayFrom(day, 1)) {
    const state = stateOf(day);
    const weekday = week[weekdayOf(day)];
    if (state) weekday.unknown ??= state;
    else weekday.count += 1;
  }
  for (const weekday of week) if (weekday.count) weekday.unknown = null;
  for (const { d: day, h: hours } of days) {
    if (day < from || day > to) continue;
    const { hours: sums } = week[weekdayOf(day)];
    hours.forEach((credits, hour) => { sums[hour] += credits; });
  }
  for (const { count, hours } of week) hours.forEach((sum, hour) => { hours[hour] = count ? sum / count : 0; });
  return week;
}

export const weekdayNames = () => [0, 1, 2, 3, 4, 5, 6].map((place) => WEEKDAY.format(at(dayFrom(MONDAY, place))));

export const monthNames = () => Array.from({ length: 12 }, (_, month) => MONTH_NAME.format(new Date(Date.UTC(2024, month, 1))));

/**
 * The short name of a group, for an axis.
 * @param {Pick<DayGroup, "from">} group
 * @param {Grain} grain
 */
export const shortName = ({ from }, grain) => (grain === "month" ? MONTH : DAY_SHORT).format(at(from));

/**
 * The full name of a group.
 * @param {Pick<DayGroup, "from" | "to">} group
 */
export function longName({ from, to }) {
  return from === to ? `${WEEKDAY.format(at(from))} ${from}` : spanWords(from, to);
}

/**
 * @param {string} start
 * @param {Grain} grain
 */
function nextOf(start, grain) {
  return grain === "month" ? startOf(dayFrom(start, 31), grain) : dayFrom(start, grain === "week" ? 7 : 1);
}

/**
 * @param {DayGroup} group
 * @param {Day} day
 */
function addTo(group, { c: credits, k: calls, fc: free, without_amount: unknown = 0, m: models, tokens }) {
  group.credits += credits;
  group.calls += calls;
  group.free += free;
  group.without_amount += unknown;
  if (tokens) for (const kind of /** @type {(keyof TokenCounts)[]} */ (Object.keys(group.tokens))) group.tokens[kind] += tokens[kind];
  for (const [name, spent] of Object.entries(models)) group.models.set(name, (group.models.get(name) ?? 0) + spent);
}
