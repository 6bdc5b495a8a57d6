// The figures of a period, each with its change from the period before and a small line chart.

import { drawSpark } from "../../charts/tooltip.js";
import { change, credits, points, share, whole } from "../../shared/formats.js";
import { fill, gettext, ngettext } from "../../shared/i18n.js";
import { find } from "../../shared/page_elements.js";

/** @type {Record<string, (group: Group) => number>} */
const SPARKS = {
  credits: (group) => group.credits,
  calls: ({ calls }) => calls,
  average: (group) => (group.calls ? group.credits / group.calls : 0),
  free: ({ calls, free }) => (calls ? free / calls : 0),
};

/**
 * Shows an answer of /api/summary; `first` is the first day of the archive, if known.
 * @param {HTMLElement} part
 * @param {Summary} summary
 * @param {string | undefined} first
 */
export function showFigures(part, summary, first) {
  const { credits: sum, calls, free, avgPerCall } = summary;
  /** @type {Record<string, string>} */
  const texts = { credits: credits(sum), calls: whole(calls), average: calls ? credits(avgPerCall) : "–", free: share(free, calls) };
  const since = first && summary.delta.window.from < first ? first : null;
  const changes = since ? withoutChange(gettext("not enough earlier data")) : changesOf(summary);
  for (const name of Object.keys(texts)) {
    find(part, `[data-figure="${name}"]`).textContent = texts[name];
    find(part, `[data-change="${name}"]`).textContent = changes[name];
  }
  find(part, "[data-window]").textContent = windowWords(summary, since);
}

/**
 * Draws the small lines of groups of days, or of hours.
 * @param {HTMLElement} part
 * @param {Group[]} groups
 */
export function showSparks(part, groups) {
  for (const [name, valueOf] of Object.entries(SPARKS)) drawSpark(find(part, `[data-spark="${name}"]`), groups.map(valueOf));
}

/** @param {Summary} summary */
function changesOf({ calls, free, avgPerCall, prev, delta }) {
  if (!prev?.calls) return withoutChange(gettext("no earlier data"));
  const average = calls && prev.avgPerCall ? (avgPerCall / prev.avgPerCall - 1) * 100 : null;
  const freer = calls ? points(free / calls - prev.free / prev.calls) : null;
  const changes = { credits: change(delta.credits), calls: change(delta.calls), average: change(average), free: freer };
  return Object.fromEntries(Object.entries(changes).map(([name, text]) => [name, text ?? gettext("no comparison")]));
}

/**
 * @param {string} words
 * @returns {Record<string, string>}
 */
const withoutChange = (words) => Object.fromEntries(Object.keys(SPARKS).map((name) => [name, words]));

/**
 * The days, the time until which they count, and the days of comparison; if the archive begins within those, `since`.
 * @param {Summary} summary
 * @param {string | null} since
 */
function windowWords({ window: { from, to, days }, prev, partial }, since) {
  if (!from) return "";
  const words = [from === to ? from : `${from} – ${to}`];
  if (partial) words.push(fill(gettext("until %(time)s"), { time: partial.date === to ? partial.hhmm : `${partial.date} ${partial.hhmm}` }));
  if (since) words.push(fill(gettext("archived since %(day)s"), { day: since }));
  else if (prev?.calls) words.push(comparison(days, Boolean(partial)));
  return words.join(" · ");
}

/**
 * @param {number} days
 * @param {boolean} isPartial
 */
function comparison(days, isPartial) {
  const text = isPartial
    ? ngettext("compared with the whole day before", "compared with %(count)s whole days before", days)
    : ngettext("compared with the day before", "compared with the %(count)s days before", days);
  return fill(text, { count: whole(days) });
}
