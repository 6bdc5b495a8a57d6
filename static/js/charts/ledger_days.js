// The days of the ledger: their states in words, and which of them are unknown or lack calls.

import { lengthOf } from "./day_groups.js";
import { dayFrom, whole } from "../shared/formats.js";
import { fill, gettext, ngettext, sentences } from "../shared/i18n.js";

/**
 * The states, those that need attention first: several days together show the first state that one of them has.
 * @type {ShownState[]}
 */
const STATES = ["short", "unconfirmed", "differing", "stripped", "unasked", "unreachable", "erased", "open", "surplus", "promptless", "checked", "settled", "proved"];
/** @type {Record<ShownState, string>} */
const WORDS = {
  open: gettext("not over yet"),
  unasked: gettext("not read"),
  unreachable: gettext("older than %(service)s still gives"),
  erased: gettext("calls erased, sums kept"),
  short: gettext("calls missing"),
  unconfirmed: gettext("not confirmed by %(service)s"),
  surplus: gettext("more calls than at %(service)s"),
  stripped: gettext("prompts missing"),
  promptless: gettext("prompts no longer given"),
  differing: gettext("differs from a second sum"),
  proved: gettext("proved by a second sum"),
  settled: gettext("settled"),
  checked: gettext("read, may still change"),
};
/** @type {Set<DayState>} A run that reads such a day again may complete it. */
const LACKING = new Set(["unasked", "short", "unconfirmed", "stripped"]);
/** @type {Set<ShownState>} */
const READ = new Set(["surplus", "stripped", "promptless", "checked", "settled"]);
/** @type {Partial<Record<DayState, ShownState>>} How days in these states are shown if nothing more can be fetched. */
const FINAL = { unasked: "unreachable", stripped: "promptless" };
/** @type {Partial<Record<DayState, string>>} Days without records in these states are unknown: calls may exist. */
const UNKNOWN = { unasked: gettext("not archived"), unreachable: WORDS.unreachable, erased: gettext("erased") };

/** @param {ShownState} state */
export const stateWords = (state) => WORDS[state];

/** @param {UnknownState} state */
export const unknownWords = (state) => UNKNOWN[state] ?? "";

/**
 * Whether something is missing of a day that can still be fetched.
 * @param {CoverageDay} day
 */
const isLacking = ({ state, final }) => !final && LACKING.has(state);

/**
 * The state of a day as it is shown: one whose calls were read may differ from a bill.
 * @param {CoverageDay} day
 * @returns {ShownState}
 */
export function shownState(day) {
  const state = (day.final && FINAL[day.state]) || day.state;
  return READ.has(state) && differencesOf(day).length ? "differing" : state;
}

/** The answer of /api/coverage by day. */
export class Ledger {
  /** @type {Map<string, CoverageDay>} */
  #days;
  #first;
  /** @type {UnknownState} The state of the days before the first listed one: what is gone of it is gone of them. */
  before;

  /** @param {Pick<Coverage, "days">} coverage */
  constructor({ days }) {
    this.#days = new Map(days.map((day) => [day.d, day]));
    this.#first = days[0]?.d ?? "";
    const first = days[0] && shownState(days[0]);
    this.before = first === "unreachable" || first === "erased" ? first : "unasked";
  }

  /**
   * The state of a day about which nothing is known; null if its records, or that it has none, are known.
   * @param {string} day
   * @returns {UnknownState | null}
   */
  unknown(day) {
    const known = this.#days.get(day);
    if (!known) return day < this.#first ? this.before : null;
    const state = shownState(known);
    // Of an erased day the count stays.
    if (state === "erased" && known.upstream !== null) return null;
    return !known.here && state in UNKNOWN ? /** @type {UnknownState} */ (state) : null;
  }

  /**
   * How many days of a span are unknown, how many of these can still be fetched, and the state of the first of them.
   * @param {Required<Span>} span
   */
  unknownWithin({ from, to }) {
    /** @type {UnknownState[]} */
    const states = [];
    for (let day = from; day <= to; day = dayFrom(day, 1)) {
      const state = this.unknown(day);
      if (state) states.push(state);
    }
    const unread = states.filter((state) => state === "unasked").length;
    return { count: states.length, unread, all: states.length > 0 && states.length === lengthOf(from, to), state: states[0] ?? null };
  }

  /**
   * Whether nothing of a span is archived. Today counts as archived once the day before was read to its end, or with calls.
   * @param {Required<Span>} span
   */
  isBlank(span) {
    const open = this.within(span).find(({ state }) => state === "open");
    const isUnread = open && !open.here && this.#days.get(dayFrom(open.d, -1))?.state === "unasked";
    const length = lengthOf(span.from, span.to);
    return length > 0 && this.unknownWithin(span).count + (isUnread ? 1 : 0) === length;
  }

  /**
   * Whether a day of a span lost prompts, and with them purposes.
   * @param {Span} span
   */
  isStripped(span) {
    return this.within(span).some(({ state }) => state === "stripped");
  }

  /**
   * The listed days of a span.
   * @param {Span} span
   */
  within({ from, to }) {
    return [...this.#days.values()].filter(({ d }) => (!from || d >= from) && (!to || d <= to));
  }
}

/**
 * The unknown days of a span as spans of one state.
 * @param {Ledger} ledger
 * @param {Required<Span>} span
 */
export function unknownSpans(ledger, { from, to }) {
  /** @type {(Required<Span> & {state: UnknownState})[]} */
  const spans = [];
  for (let day = from; day <= to; day = dayFrom(day, 1)) {
    const state = ledger.unknown(day);
    const last = spans.at(-1);
    if (state && last?.state === state && last.to === dayFrom(day, -1)) last.to = day;
    else if (state) spans.push({ from: day, to: day, state });
  }
  return spans;
}

/**
 * The states of days with the number of days in each, those that need attention first.
 * @param {CoverageDay[]} days
 * @returns {[ShownState, number][]}
 */
export function countsOf(days) {
  const shown = days.map(shownState);
  /** @type {[ShownState, number][]} */
  const counts = STATES.map((state) => [state, shown.filter((one) => one === state).length]);
  return counts.filter(([, count]) => count);
}

/**
 * The number of days before today that the upstream gives, and of those that are not whole, lack prompts alone, or may
 * change.
 * @param {CoverageDay[]} days
 */
function completeness(days) {
  const counts = Object.fromEntries(countsOf(days));
  const { open = 0, unreachable = 0, erased = 0, stripped = 0 } = counts;
  // A surplus has every call that the service lists.
  const changing = days.filter(({ state, final }) => state === "checked" || (state === "surplus" && !final)).length;
  const lacking = days.filter(isLacking).length - stripped;
  return { total: days.length - open - unreachable - erased, lacking, stripped, changing, isOpen: open > 0 };
}

/**
 * Whether a day is missing, as sentences.
 * @param {CoverageDay[]} days
 */
export function completeWords(days) {
  const counts = completeness(days);
  if (!counts.total) return "";
  const differing = days.filter((day) => differencesOf(day).length).length;
  const differ = differing ? [fill(ngettext("%(count)s day differs from the daily sums of %(service)s.", "%(count)s days differ from the daily sums of %(service)s.", differing), { count: whole(differing) })] : [];
  const today = counts.isOpen && !counts.lacking ? [gettext("Today is not over yet.")] : [];
  return sentences([...sentencesOf(counts), ...differ, ...today]);
}

/** @param {ReturnType<typeof completeness>} counts */
function sentencesOf({ total, lacking, stripped, changing }) {
  const lost = stripped ? [fill(ngettext("%(count)s day lacks prompts; its calls are complete.", "%(count)s days lack prompts; their calls are complete.", stripped), { count: whole(stripped) })] : [];
  if (lacking) {
    return [fill(ngettext("%(count)s of %(total)s days is missing or not complete.", "%(count)s of %(total)s days are missing or not complete.", lacking), { count: whole(lacking), total: whole(total) }), ...lost];
  }
  if (lost.length) return [gettext("No day is missing."), ...lost];
  return [changing
    ? fill(ngettext("No day is missing; %(count)s day may still change.", "No day is missing; %(count)s days may still change.", changing), { count: whole(changing) })
    : fill(ngettext("No day is missing: %(count)s day is complete.", "No day is missing: all %(count)s days are complete.", total), { count: whole(total) })];
}

/**
 * Consecutive days as at most `most` cells with the same number of days.
 * @param {CoverageDay[]} days
 * @param {number} most
 * @returns {LedgerCell[]}
 */
export function cellsOf(days, most) {
  const size = Math.max(1, Math.ceil(days.length / Math.max(1, most)));
  return Array.from({ length: Math.ceil(days.length / size) }, (_, place) => cellOf(days.slice(place * size, (place + 1) * size)));
}

/**
 * Consecutive days as cells of one state each.
 * @param {CoverageDay[]} days
 * @returns {LedgerCell[]}
 */
export function stretchesOf(days) {
  /** @type {CoverageDay[][]} */
  const stretches = [];
  for (const day of days) {
    const last = stretches.at(-1);
    if (last && shownState(last[0]) === shownState(day)) last.push(day);
    else stretches.push([day]);
  }
  return stretches.map(cellOf);
}

/**
 * What a run of at most `most` days can complete: from the first to the last day that lacks something, and the number of
 * such days in it and after it. Null if no day lacks anything.
 * @param {CoverageDay[]} days
 * @param {number} most
 */
export function lackingIn(days, most) {
  const lacking = days.filter(isLacking).map(({ d }) => d);
  if (!lacking.length) return null;
  const within = lacking.filter((day) => lengthOf(lacking[0], day) <= most);
  return { from: lacking[0], to: within[within.length - 1], count: within.length, left: lacking.length - within.length };
}

/**
 * Where the calls of a day differ from a bill.
 * @param {CoverageDay} day
 */
export const differencesOf = ({ proofs = [] }) => proofs.flatMap(({ differences }) => differences);

/**
 * @param {CoverageDay[]} days
 * @returns {LedgerCell}
 */
function cellOf(days) {
  return { days, from: days[0].d, to: days[days.length - 1].d, state: countsOf(days)[0][0] };
}
