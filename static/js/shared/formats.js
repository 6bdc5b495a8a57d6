// Formats of numbers, times and texts on all pages. Times are those of the server and are not converted.

import { fill, gettext, language, ngettext } from "./i18n.js";

const WHOLE = new Intl.NumberFormat(language, { maximumFractionDigits: 0 });
// The decimals of amounts in the unit of the shown archive (usage/amounts/units.py): those that are shown, always as many, so that
// they stand below each other in a column; and those that an amount has.
const SHOWN = Number(document.documentElement.dataset.decimals ?? 2);
export const DIGITS = Number(document.documentElement.dataset.digits ?? 6);
const CREDITS = new Intl.NumberFormat(language, { minimumFractionDigits: SHOWN, maximumFractionDigits: SHOWN });
const CODEBUDDY = new Intl.NumberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 6 });
// Of an estimate more digits would say more than the rate does.
const MONEY = new Intl.NumberFormat(language, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const SHARE = new Intl.NumberFormat(language, { style: "percent", minimumFractionDigits: 1, maximumFractionDigits: 1 });
const POINTS = new Intl.NumberFormat(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
// Compact numbers of up to four digits are otherwise not separated, as 4000 in Chinese.
const COMPACT = new Intl.NumberFormat(language, { notation: "compact", maximumFractionDigits: 1, useGrouping: "always" });
const SMALL = new Intl.NumberFormat(language, { maximumFractionDigits: SHOWN });
const NONE = "–";
const SHORTEST_MONTH = 28;

/**
 * A range of days or numbers in words, or the one that it is.
 * @param {string} first
 * @param {string} last
 */
export const spanWords = (first, last) => (first === last ? first : fill(gettext("%(first)s to %(last)s"), { first, last }));

/** @param {number | null} [number] */
export const whole = (number) => (number == null ? NONE : WHOLE.format(number));

/**
 * A number in few characters, for an axis.
 * @param {number} number
 */
export const compact = (number) => (Math.abs(number) < 1 ? SMALL : COMPACT).format(number);

/**
 * How many calls have no known amount.
 * @param {number} count
 */
export const ofUnknownAmount = (count) => fill(ngettext("%(count)s call of unknown amount", "%(count)s calls of unknown amount", count), { count: whole(count) });

/**
 * A sum, or a dash where no call has a known amount.
 * @param {{credits: number, amount?: string | null}} sums
 */
export const spent = ({ credits: sum, amount: exact }) => credits(exact === null ? null : sum);

/**
 * An amount in the unit of the shown archive; small amounts are never shown as 0.
 * @param {number | null} [number]
 */
export function credits(number) {
  if (number == null) return NONE;
  const least = 10 ** -SHOWN;
  return number !== 0 && Math.abs(number) < least / 2 ? `< ${CREDITS.format(least)}` : CREDITS.format(number);
}

/**
 * An amount of an archive of CodeBuddy, whatever archive is shown.
 * @param {number} number
 */
export const ofCodeBuddy = (number) => CODEBUDDY.format(number);

/**
 * An estimate in money.
 * @param {number} number
 */
export const money = (number) => MONEY.format(number);

/**
 * @param {number} part
 * @param {number} of
 */
export const share = (part, of) => (of ? SHARE.format(part / of) : NONE);

/**
 * The change from one sum to another in percent, to one decimal: rounded once, half away from zero, as `tenths_of_percent`
 * of the server does. Null where the sum before is 0.
 * @param {number} before
 * @param {number} now
 */
export const percentChange = (before, now) => inTenths(parts(now) - parts(before), parts(before));

/**
 * A change as arrow and words; null without a sum before. Of a count there are fewer, of a sum there is less.
 * @param {number} before
 * @param {number} now
 * @param {boolean} [isCount]
 */
export function change(before, now, isCount = false) {
  const percent = percentChange(before, now);
  if (!percent) return percent === null ? null : gettext("unchanged");
  const less = isCount ? gettext("▼ %(amount)s fewer") : gettext("▼ %(amount)s less");
  return fill(percent > 0 ? gettext("▲ %(amount)s more") : less, { amount: percents(percent) });
}

/**
 * A change as arrow and number, for a column; null without a sum before.
 * @param {number} before
 * @param {number} now
 */
export function shortChange(before, now) {
  const percent = percentChange(before, now);
  if (!percent) return percent === null ? null : "=";
  return `${percent > 0 ? "▲" : "▼"} ${percents(percent)}`;
}

/**
 * The size of a change in percent.
 * @param {number} percent
 */
export const percents = (percent) => SHARE.format(Math.abs(percent) / 100);

/**
 * The change of a share in percentage points, in words; null where one of them is a share of nothing.
 * @param {Part} before
 * @param {Part} now
 * @typedef {{part: number, of: number}} Part
 */
export function points(before, now) {
  const [then, thenOf, part, of] = [before.part, before.of, now.part, now.of].map(parts);
  const difference = inTenths(part * thenOf - then * of, thenOf * of);
  if (!difference) return difference === null ? null : gettext("unchanged");
  const amount = POINTS.format(Math.abs(difference));
  return fill(difference > 0 ? gettext("▲ %(amount)s points more") : gettext("▼ %(amount)s points less"), { amount });
}

/**
 * A part in percent as a number with one decimal; null of nothing.
 * @param {number} part
 * @param {number} of
 */
export const percentOf = (part, of) => inTenths(parts(part), parts(of));

/**
 * A part of `whole` in percent, to one decimal; null where there is no whole.
 * @param {bigint} part
 * @param {bigint} whole Not below 0.
 */
function inTenths(part, whole) {
  if (!whole) return null;
  const size = Number((2000n * (part < 0n ? -part : part) + whole) / (2n * whole)) / 10;
  return part < 0n ? -size : size;
}

/**
 * Sums are exact in parts of the unit, and numbers of them are not.
 * @param {number} sum
 */
const parts = (sum) => BigInt(Math.round(sum * 10 ** DIGITS));

/** @param {string | null} [timestamp] */
export const day = (timestamp) => (timestamp ?? "").slice(0, 10);

/** @param {string | null} [timestamp] */
export const minutes = (timestamp) => (timestamp ?? "").slice(0, 16);

/**
 * How long a time is before `now`; both are on the server's wall clock.
 * @param {string} timestamp
 * @param {string} now
 */
export function ago(timestamp, now) {
  const seconds = Math.max(0, (wallClock(now) - wallClock(timestamp)) / 1000);
  if (seconds < 60) return gettext("just now");
  if (seconds < 3600) return fill(gettext("%(count)s min ago"), { count: Math.floor(seconds / 60) });
  if (seconds < 48 * 3600) return fill(gettext("%(count)s h ago"), { count: Math.floor(seconds / 3600) });
  return fill(gettext("%(count)s days ago"), { count: Math.floor(seconds / 86400) });
}

/**
 * The day `days` away from a day, both as YYYY-MM-DD.
 * @param {string} day
 * @param {number} days
 */
export function dayFrom(day, days) {
  // Loops go over years day by day.
  const within = Number(day.slice(8)) + days;
  if (within >= 1 && within <= SHORTEST_MONTH) return day.slice(0, 8) + String(within).padStart(2, "0");
  return new Date(wallClock(`${day} 00:00:00`) + days * 86400000).toISOString().slice(0, 10);
}

/**
 * The beginning of a prompt on one line.
 * @param {string} text
 */
export function excerpt(text, length = 200) {
  // Only the beginning is processed: a prompt may be 200,000 characters long.
  const line = text.slice(0, 4 * length).replace(/\s+/g, " ").trim();
  return line.length > length || text.length > 4 * length ? `${line.slice(0, length).trimEnd()}…` : line;
}

/**
 * A sentence of the API about a setting, without the name of the key, which the page shows beside it.
 * @param {string} sentence
 * @param {string} key
 */
export function withoutKey(sentence, key) {
  if (!sentence.startsWith(`${key} `)) return sentence;
  const rest = sentence.slice(key.length + 1);
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}

/**
 * A time of the server as milliseconds, on its wall clock.
 * @param {string} timestamp
 */
export function wallClock(timestamp) {
  return Date.parse(`${timestamp.replace(" ", "T")}Z`);
}
