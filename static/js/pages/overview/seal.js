// The seal beside the total: whether every call that the service lists is here, or what lacks.

import { isComplete, isUncounted } from "./complete_days.js";
import { shortDay } from "./sentence_names.js";
import { isToCome, lengthOf } from "../../charts/day_groups.js";
import { differencesOf } from "../../charts/ledger_days.js";
import { day as dayOf, dayFrom, minutes, whole } from "../../shared/formats.js";
import { fill, gettext, listed, ngettext } from "../../shared/i18n.js";
import { isOfFiles } from "../../shared/own_archive.js";
import { find } from "../../shared/page_elements.js";

/** @typedef {import("../../charts/ledger_days.js").Ledger} Ledger */
/** @typedef {{state: "" | "whole" | "lacking" | "open" | "gone", text: string}} Seal */

/**
 * Shows the seal in its place.
 * @param {HTMLElement} place
 * @param {Seal} seal
 */
export function showSeal(place, { state, text }) {
  const link = find(place, "a");
  link.textContent = text;
  link.hidden = !text;
  place.dataset.seal = state;
}

/**
 * What the ledger proves of the days of a period that are over; empty where it is not known.
 * @param {Ledger | undefined} ledger
 * @param {Required<Span>} span
 * @param {string} today
 * @returns {Seal}
 */
export function sealOf(ledger, { from, to }, today) {
  if (!ledger) return { state: "", text: "" };
  if (isToCome({ from }, today)) return { state: "open", text: gettext("Still to come.") };
  const end = to < today ? to : dayFrom(today, -1);
  if (from > end) return { state: "open", text: gettext("Today is not over yet.") };
  if (isOfFiles()) return { state: "open", text: gettext("From files: nothing says whether all calls are here") };
  const days = ledger.within({ from, to: end });
  const unlisted = ledger.before !== "unasked" ? 0 : lengthOf(from, end) - days.length;
  const lacking = days.filter((day) => !isComplete(day) && !isGone(day));
  if (lacking.length + unlisted) return { state: "lacking", text: lackingWords(lacking, unlisted) };
  const differing = days.filter((day) => differencesOf(day).length).length;
  if (differing) return { state: "lacking", text: differingWords(differing) };
  const last = days.findLast(isComplete);
  if (!last) return { state: "gone", text: days.some(isErased) ? gettext("The calls of these days were erased; their sums stay") : gettext("%(service)s no longer gives these days") };
  return { state: "whole", text: wholeWords(stretchAround(ledger.within({}), last.d), today) };
}

/** @param {CoverageDay} day */
const isErased = ({ state }) => state === "erased";

/**
 * Whether the service no longer gives a day, or its calls were erased here.
 * @param {CoverageDay} day
 */
const isGone = (day) => isErased(day) || day.state === "unreachable" || (day.state === "unasked" && day.final);

/**
 * @param {CoverageDay[]} lacking
 * @param {number} unlisted Days from long before any that is known.
 */
function lackingWords(lacking, unlisted) {
  const unknown = lacking.filter(({ state, here }) => state === "unasked" && !here).length + unlisted;
  const uncounted = lacking.filter(isUncounted).length;
  const partly = lacking.length + unlisted - unknown - uncounted;
  return listed([
    ...(unknown ? [fill(ngettext("%(count)s day not archived", "%(count)s days not archived", unknown), { count: whole(unknown) })] : []),
    ...(partly ? [fill(ngettext("%(count)s day is not complete", "%(count)s days are not complete", partly), { count: whole(partly) })] : []),
    ...(uncounted ? [fill(ngettext("%(count)s day is not compared", "%(count)s days are not compared", uncounted), { count: whole(uncounted) })] : []),
  ]);
}

/** @param {number} count */
const differingWords = (count) => fill(ngettext("%(count)s day differs from the daily sums of %(service)s", "%(count)s days differ from the daily sums of %(service)s", count), { count: whole(count) });

/**
 * The consecutive days around one whose calls are all here.
 * @param {CoverageDay[]} days
 * @param {string} around
 */
function stretchAround(days, around) {
  const place = days.findIndex(({ d }) => d === around);
  const after = days.findIndex((day, at) => at > place && !isComplete(day));
  const before = days.findLastIndex((day, at) => at < place && !isComplete(day));
  return days.slice(before + 1, after < 0 ? days.length : after);
}

/**
 * @param {CoverageDay[]} stretch
 * @param {string} today
 */
function wholeWords(stretch, today) {
  const [first, last] = [stretch[0].d, stretch[stretch.length - 1].d];
  const values = { first: shortDay(first, today), last: shortDay(last, today) };
  const isSince = last >= dayFrom(today, -1);
  const words = fill(isSince ? gettext("Every call that %(service)s lists since %(first)s is here") : gettext("Every call that %(service)s lists from %(first)s to %(last)s is here"), values);
  const compared = stretch.map((day) => day.checked_at ?? "").sort().at(-1);
  const seal = compared ? fill(gettext("%(seal)s, compared %(time)s"), { seal: words, time: timeWords(compared, today) }) : words;
  const proved = stretch.filter(({ state }) => state === "proved").length;
  return proved ? fill(provedWords(proved), { seal, count: whole(proved) }) : seal;
}

/**
 * Other services add up what they estimate themselves; those of the first archive are what is paid.
 * @param {number} count
 */
function provedWords(count) {
  if (document.documentElement.dataset.service) return ngettext("%(seal)s; the daily sums of %(count)s day agree", "%(seal)s; the daily sums of %(count)s days agree", count);
  return ngettext("%(seal)s; %(count)s day is equal to the bill", "%(seal)s; %(count)s days are equal to the bill", count);
}

/**
 * @param {string} timestamp
 * @param {string} today
 */
function timeWords(timestamp, today) {
  const time = minutes(timestamp).slice(11);
  return dayOf(timestamp) === today ? fill(gettext("today %(time)s"), { time }) : `${shortDay(dayOf(timestamp), today)} ${time}`;
}
