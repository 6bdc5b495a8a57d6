// The figures of a period, each with the earlier value, the change since then and a small line chart.

import { showSeal, sealOf } from "./seal.js";
import { beforeWords, isKnown } from "./unknown_days.js";
import { isToCome } from "../../charts/day_groups.js";
import { unknownWords } from "../../charts/ledger_days.js";
import { drawSpark } from "../../charts/sparks.js";
import { change, credits, money, ofUnknownAmount, points, share, spanWords, spent, whole } from "../../shared/formats.js";
import { fill, gettext } from "../../shared/i18n.js";
import { find } from "../../shared/page_elements.js";

/** @typedef {import("../../charts/ledger_days.js").Ledger} Ledger */

/** @type {Record<string, (group: Group) => number>} */
const SPARKS = {
  credits: (group) => group.credits,
  calls: ({ calls }) => calls,
  average: (group) => (group.calls ? group.credits / group.calls : 0),
  free: ({ calls, free }) => (calls ? free / calls : 0),
};

/**
 * Shows an answer of /api/summary, with what the ledger says of its days.
 * @param {HTMLElement} part
 * @param {Summary} summary
 * @param {{span: Required<Span>, first: string | undefined, today: string, ledger: Ledger | undefined}} seen The days, and the first day of the archive, if known.
 */
export function showFigures(part, summary, { span, first, today, ledger }) {
  const { calls, comparison } = summary;
  const days = comparison ? daysOf(comparison) : null;
  const since = comparison && days && !isArchived(comparison, first) ? first : undefined;
  const before = comparison && days && !since && isKnown(ledger, days, comparison.totals.calls) ? textsOf(comparison.totals) : null;
  const isShort = Boolean(since || (ledger && days && !before));
  const isAhead = isToCome(span, today);
  const known = !isAhead && isKnown(ledger, span, calls);
  const texts = known ? textsOf(summary) : allAs("–");
  const changes = known ? changesOf(summary, isShort) : allAs(ledger && !isAhead ? unknownWords("unasked") : "");
  for (const name of Object.keys(texts)) {
    find(part, `[data-figure="${name}"]`).textContent = texts[name];
    find(part, `[data-change="${name}"]`).textContent = changes[name];
    find(part, `[data-was="${name}"]`).textContent = before ? fill(gettext("was %(value)s"), { value: before[name] }) : "";
  }
  showWorth(part, known && summary.amount !== null ? summary.credits : null);
  showWindow(find(part, "[data-window]"), windowWords(summary, since));
  showSeal(find(part, "[data-seal]"), sealOf(ledger, span, today));
  const lacking = ledger && days && !since ? ledger.unknownWithin(days).count : 0;
  find(part, "[data-unknown-before]").hidden = !lacking;
  find(part, "[data-unknown-before]").textContent = beforeWords(lacking);
}

/**
 * Shows what an amount is worth, where the owner gave the archive a rate.
 * @param {HTMLElement} part
 * @param {number | null} amount
 */
function showWorth(part, amount) {
  const line = part.querySelector("[data-worth]");
  if (!(line instanceof HTMLElement)) return;
  const { rate, unit = "" } = line.dataset;
  line.textContent = amount === null ? "" : fill(gettext("≈ %(amount)s %(currency)s, estimated"), { amount: money(amount * Number(rate)), currency: unit });
}

/**
 * Screen readers read the line out whenever it is written.
 * @param {HTMLElement} line
 * @param {string} words
 */
function showWindow(line, words) {
  if (line.textContent !== words) line.textContent = words;
}

/**
 * Whether the archive reaches back over all days that are compared with. Else they are not known, and no change is.
 * @param {Comparison} comparison
 * @param {string | undefined} first
 */
export const isArchived = ({ window: { from } }, first) => Boolean(from && (!first || from >= first));

/**
 * The days that are compared with, if there are any.
 * @param {Comparison} comparison
 * @returns {Required<Span> | null}
 */
export const daysOf = ({ window: { from, to } }) => (from && to ? { from, to } : null);

/**
 * Draws the small lines of groups of days, or of hours.
 * @param {HTMLElement} part
 * @param {Group[]} groups
 * @param {boolean} isOpen Whether the last group is not over yet.
 * @param {boolean[]} unknown
 */
export function showSparks(part, groups, isOpen, unknown) {
  for (const [name, valueOf] of Object.entries(SPARKS)) drawSpark(find(part, `[data-spark="${name}"]`), groups.map(valueOf), isOpen, unknown);
}

/**
 * The days that are compared with, and until when the last of them counts; empty if there are none.
 * @param {Comparison | undefined} comparison
 */
function comparedWords(comparison) {
  const { from, to } = comparison?.window ?? {};
  if (!from || !to) return "";
  const { until, totals: { without_amount: unknown = 0 } = {} } = comparison ?? {};
  const days = spanWords(from, to);
  const words = until ? fill(gettext("%(days)s until %(time)s"), { days, time: until }) : days;
  return unknown ? fill(gettext("%(days)s (%(why)s)"), { days: words, why: ofUnknownAmount(unknown) }) : words;
}

/**
 * @param {Sums} sums
 * @returns {Record<string, string>}
 */
function textsOf(sums) {
  const { amount, calls, free, avgPerCall } = sums;
  return { credits: spent(sums), calls: whole(calls), average: calls && amount !== null ? credits(avgPerCall) : "–", free: share(free, calls) };
}

/**
 * @param {Summary} summary
 * @param {boolean} isShort Whether the archive lacks the days that are compared with.
 */
function changesOf(summary, isShort) {
  const { credits: sum, calls, free, comparison } = summary;
  if (!comparison) return allAs("");
  if (isShort) return allAs(gettext("not enough earlier data"));
  if (!comparison.window.from) return allAs(gettext("no earlier data"));
  const before = comparison.totals;
  const isUnknown = summary.amount === null || before.amount === null;
  const changes = {
    credits: isUnknown ? null : change(before.credits, sum),
    calls: change(before.calls, calls, true),
    // The averages themselves are rounded.
    average: isUnknown ? null : change(before.credits * withAmount(summary), sum * withAmount(before)),
    free: points({ part: before.free, of: before.calls }, { part: free, of: calls }),
  };
  return Object.fromEntries(Object.entries(changes).map(([name, text]) => [name, text ?? gettext("no comparison")]));
}

/**
 * The calls whose amount is known.
 * @param {Sums} sums
 */
const withAmount = ({ calls, without_amount: unknown = 0 }) => calls - unknown;

/**
 * @param {string} words
 * @returns {Record<string, string>}
 */
const allAs = (words) => Object.fromEntries(Object.keys(SPARKS).map((name) => [name, words]));

/**
 * The days, the time until which they count, and the days of comparison; if the archive begins within those, `since`.
 * @param {Summary} summary
 * @param {string | undefined} since
 */
function windowWords({ window: { from, to }, without_amount: unknown = 0, comparison, partial }, since) {
  if (!from) return "";
  const words = [spanWords(from, to)];
  if (partial) words.push(fill(gettext("until %(time)s"), { time: partial.date === to ? partial.hhmm : `${partial.date} ${partial.hhmm}` }));
  if (unknown) words.push(ofUnknownAmount(unknown));
  if (since) words.push(fill(gettext("archived since %(day)s"), { day: since }));
  else if (comparison?.window.from) words.push(fill(gettext("compared with %(days)s"), { days: comparedWords(comparison) }));
  return words.join(" · ");
}
