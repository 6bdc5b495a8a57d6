// What the tips of the ledger's days say.

import { longName } from "./day_groups.js";
import { countsOf, differencesOf, shownState, stateWords } from "./ledger_days.js";
import { minutes, whole } from "../shared/formats.js";
import { fill, gettext } from "../shared/i18n.js";

/** @type {Record<BillDifference["what"], string>} */
const COUNTED = {
  calls: gettext("Calls"),
  amount: gettext("%(Unit)s"),
  tokens_in: gettext("Tokens in"),
  tokens_out: gettext("Tokens out"),
  cache_read: gettext("Tokens read from a cache"),
  cache_write: gettext("Tokens written into a cache"),
};
// Differences that a tip has.
const MOST_SHOWN = 6;

/**
 * What the tip says of days: a title, and rows.
 * @param {CoverageDay[]} days
 * @returns {[string, TipRow[]]}
 */
export function tipOf(days) {
  const title = longName({ from: days[0].d, to: days[days.length - 1].d });
  return [title, days.length === 1 ? rowsOf(days[0]) : rowsOfSeveral(days)];
}

/** @param {CoverageDay} day */
export const upstreamWords = ({ upstream }) => (upstream === null ? gettext("not counted") : whole(upstream));

/**
 * @param {CoverageDay} day
 * @returns {TipRow[]}
 */
function rowsOf(day) {
  return [
    { name: day.state === "unasked" && day.here ? gettext("not read to its end") : stateWords(shownState(day)), value: "" },
    { name: gettext("Calls at %(service)s"), value: upstreamWords(day) },
    { name: gettext("Calls here"), value: whole(day.here) },
    { name: gettext("Without a prompt"), value: whole(day.without_prompt) },
    ...(day.checked_at ? [{ name: gettext("Counted"), value: minutes(day.checked_at) }] : []),
    ...differencesOf(day).slice(0, MOST_SHOWN).map(differenceRow),
  ];
}

/**
 * @param {BillDifference} difference
 * @returns {TipRow}
 */
function differenceRow({ model, what, here, there }) {
  const values = { what: COUNTED[what], model: model || gettext("the whole day"), here: here ?? gettext("not known"), there };
  return { name: fill(gettext("%(what)s of %(model)s: %(here)s here, %(there)s in the daily sums"), values), value: "" };
}

/**
 * @param {CoverageDay[]} days
 * @returns {TipRow[]}
 */
function rowsOfSeveral(days) {
  const states = countsOf(days).map(([state, count]) => ({ name: stateWords(state), value: whole(count) }));
  return [...states, { name: gettext("Calls here"), value: whole(days.reduce((sum, { here }) => sum + here, 0)) }];
}
