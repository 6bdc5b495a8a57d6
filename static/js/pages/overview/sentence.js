// What a period came to in a few sentences, made from the figures that the page has. They say nothing that these do not prove.

import { addressesOf } from "./sentence_links.js";
import { areRead, basisOf } from "./sentence_basis.js";
import { monthName, nameOfEarlier, nameOfPeriod, shortDay } from "./sentence_names.js";
import { isToCome } from "../../charts/day_groups.js";
import { rangeOf, shownRange } from "../../charts/month_sums.js";
import { isNarrowed } from "../../shared/filter_names.js";
import { credits, day as dayOf, minutes, ofUnknownAmount, percentChange, percents, spanWords, whole } from "../../shared/formats.js";
import { fill, gettext, ngettext } from "../../shared/i18n.js";
import { inTurn, pieced } from "../../shared/sentences_with_links.js";

/** @typedef {import("../../charts/ledger_days.js").Ledger} Ledger */
/** @typedef {import("../../shared/sentences_with_links.js").Piece} Piece */
/** @typedef {ReturnType<typeof basisOf>} Basis */

/**
 * @typedef {object} Asked What the page knows of a period; an answer that failed is null.
 * @property {Summary} summary
 * @property {Dims | null} dims
 * @property {TopCall[] | null} top
 * @property {Forecast | null} forecast
 * @property {Budget[] | null} budgets
 * @property {Ledger | undefined} ledger
 * @property {string | undefined} first The first day of the archive, if known.
 * @property {Required<Span>} span The days, until today unless all are to come.
 * @property {string} today
 * @property {string} readUntil The time until which everything was read, as far as it is known.
 * @property {State} state
 * @property {string} label The name of the period in its picker; empty for other days.
 */

// Credits from which on decimals say nothing.
const LARGE = 100;
/** @type {("model" | "client")[]} */
const DIMS_THAT_MOVE = ["model", "client"];
const UNNAMED = { model: gettext("calls without a model"), client: gettext("calls without a client") };
// Names that an answer lists; of more, it is not known which changed most.
const MOST_NAMES = 1000;

/**
 * The sentences as words and links: what the period came to, which names changed most, the dearest call, the end of the month.
 * @param {Asked} asked
 */
export function sentenceOf(asked) {
  if (isToCome(asked.span, asked.today)) return pieced(gettext("%(period)s: still to come."), { period: periodOf(asked) });
  const basis = basisOf(asked);
  return inTurn([total(asked, basis), moves(asked, basis), dearest(asked, basis), ahead(asked)]);
}

/** @param {Asked} asked */
const periodOf = (asked) => ({ text: nameOfPeriod(asked), href: addressesOf(asked).period });

/**
 * @param {Asked} asked
 * @param {Basis} basis
 */
function total(asked, basis) {
  const period = periodOf(asked);
  if (!basis.isKnown) return pieced(gettext("%(period)s: not archived."), { period });
  const sum = { text: sumWords(asked.summary, basis.isWhole), href: addressesOf(asked).dearest };
  const late = basis.isWhole ? basis.lateSince : "";
  const words = late ? gettext("%(period)s: %(sum)s, read until %(time)s") : soFar(asked, basis.isWhole);
  const time = minutes(late).startsWith(asked.today) ? minutes(late).slice(11) : minutes(late);
  const head = pieced(words, { period, sum, time });
  const change = changeOf(asked, basis);
  return change ? pieced(gettext("%(sum)s, %(change)s."), { sum: head, change }) : pieced(gettext("%(sum)s."), { sum: head });
}

/**
 * @param {Asked} asked
 * @param {boolean} isWhole
 */
function soFar({ span: { from, to }, today }, isWhole) {
  const isGrowing = to === today && (from === to || from.endsWith("-01"));
  return isWhole && isGrowing ? gettext("%(period)s: %(sum)s so far") : gettext("%(period)s: %(sum)s");
}

/**
 * @param {Summary} summary
 * @param {boolean} isWhole
 */
function sumWords({ amount: exact, credits: sum, calls, free }, isWhole) {
  if (!calls) return isWhole ? gettext("no calls") : gettext("no archived calls");
  if (exact === null) return ofUnknownAmount(calls);
  if (isWhole && calls === free) return fill(ngettext("%(count)s free call", "%(count)s free calls", calls), { count: whole(calls) });
  return fill(isWhole ? gettext("%(amount)s %(unit)s") : gettext("%(amount)s archived %(unit)s"), { amount: amount(sum) });
}

/**
 * The change since the earlier days; null without any that may be compared.
 * @param {Asked} asked
 * @param {Basis} basis
 * @returns {Piece[] | null}
 */
function changeOf(asked, { earlier, lateSince }) {
  if (!earlier) return null;
  const { credits: now } = asked.summary;
  const { credits: before, calls } = earlier.totals;
  const name = { text: nameOfEarlier(asked, earlier, Boolean(lateSince)), href: addressesOf(asked).earlier(earlier) };
  const percent = percentChange(before, now);
  // Calls that were not read yet can only add.
  if (lateSince && percent !== null && percent <= 0) return null;
  if (percent === null) return pieced(calls ? gettext("after free calls alone in %(earlier)s") : gettext("after no calls in %(earlier)s"), { earlier: name });
  const words = percent > 0 ? gettext("%(percent)s more than %(earlier)s") : gettext("%(percent)s less than %(earlier)s");
  return percent ? pieced(words, { percent: percents(percent), earlier: name }) : pieced(gettext("about as much as %(earlier)s"), { earlier: name });
}

/**
 * The names that rose and fell most: of models, or of clients where the models are chosen.
 * @param {Asked} asked
 * @param {Basis} basis
 */
function moves(asked, { earlier, lateSince }) {
  const dim = DIMS_THAT_MOVE.find((one) => !asked.state[one]);
  const found = earlier && asked.dims && dim ? changesOf(asked.dims, dim) : [];
  const changes = lateSince ? found.filter(({ by }) => by > 0) : found;
  const [down, up] = [changes[0], changes.at(-1)];
  if (!dim || !up) return [];
  const link = (/** @type {string} */ name) => ({ text: name || UNNAMED[dim], href: addressesOf(asked).name(dim, name) });
  const values = { up: link(up.name), down: link(down.name), more: amount(up.by), less: amount(-down.by) };
  if (up.by > 0 && down.by < 0) return pieced(gettext("%(up)s rose by %(more)s, %(down)s fell by %(less)s."), values);
  return pieced(up.by > 0 ? gettext("%(up)s rose by %(more)s.") : gettext("%(down)s fell by %(less)s."), values);
}

/**
 * How much the credits of each name changed, the greatest fall first; changes of less than a hundredth are none.
 * @param {Dims} dims
 * @param {"model" | "client"} dim
 */
function changesOf({ comparison, others, ...dims }, dim) {
  const before = comparison?.items[dim] ?? {};
  const names = new Set([...Object.keys(before), ...dims[dim].map(({ name }) => name)]);
  if (!comparison?.window.from || others?.[dim] || Object.keys(before).length >= MOST_NAMES) return [];
  const now = new Map(dims[dim].map(({ name, credits: spent }) => [name, spent]));
  const changes = [...names].map((name) => ({ name, by: (now.get(name) ?? 0) - (before[name]?.credits ?? 0) }));
  return changes.filter(({ by }) => Math.abs(by) >= 0.01).sort((one, other) => one.by - other.by);
}

/**
 * @param {Asked} asked
 * @param {Basis} basis
 */
function dearest(asked, { isWhole }) {
  const [call] = asked.top ?? [];
  if (!call?.c) return [];
  return pieced(gettext("The %(call)s cost %(amount)s on %(day)s."), {
    call: { text: isWhole ? gettext("most expensive call") : gettext("most expensive archived call"), href: addressesOf(asked).call(call.id) },
    amount: amount(call.c),
    day: { text: shortDay(dayOf(call.t), asked.today), href: addressesOf(asked).days(dayOf(call.t), dayOf(call.t)) },
  });
}

/**
 * Where the present month will end, if the period reaches into it and all of its calls are here.
 * @param {Asked} asked
 */
function ahead(asked) {
  const { forecast, budgets, span, today, state } = asked;
  const start = `${today.slice(0, 7)}-01`;
  const range = rangeOf(forecast, start);
  if (!forecast || !range || span.to !== today || isNarrowed(state) || !areRead(asked, { from: start, to: today })) return [];
  const [shown, limit] = [shownRange(range, forecast.so_far), budgetOfMonth(budgets ?? [], start)];
  const words = limit === undefined ? gettext("%(month)s is likely to end at %(range)s %(unit)s.") : gettext("%(month)s is likely to end at %(range)s of your %(budget)s.");
  return pieced(words, {
    month: { text: monthName(start, today), href: "#month-title" },
    range: spanWords(whole(shown.least), whole(shown.most)),
    budget: { text: fill(gettext("%(amount)s %(unit)s"), { amount: amount(limit ?? 0) }), href: "#budgets-title" },
  });
}

/**
 * The least budget of all calls of a calendar month.
 * @param {Budget[]} budgets
 * @param {string} start
 */
function budgetOfMonth(budgets, start) {
  const fitting = budgets.filter((one) => one.period === "month" && one.begins_on === start && !one.model && !one.client);
  return fitting.length ? Math.min(...fitting.map((one) => one.credits)) : undefined;
}

/** @param {number} sum */
const amount = (sum) => (Math.abs(sum) >= LARGE ? whole(sum) : credits(sum));
