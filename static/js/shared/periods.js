// The periods in the HTML of the page; `usage/periods.py` computes their days.

import { nameIn, namesOf } from "./filter_names.js";
import { findAll } from "./page_elements.js";
import { queryFrom } from "./query.js";

export const CUSTOM = "custom";

/**
 * The calendar of a page, from its form of filters.
 * @param {HTMLElement} form
 * @returns {Calendar}
 */
export function calendarOf(form) {
  const { today = "", year = "" } = form.dataset;
  const spans = periodsIn(form).map(({ dataset: { period, from, to } }) => [period, { ...(from && { from }), ...(to && { to }) }]);
  return { today, periods: Object.fromEntries(spans), year: { from: year, to: today } };
}

/**
 * The buttons of the periods that a form of filters offers.
 * @param {HTMLElement} form
 */
export const periodsIn = (form) => findAll(form, "[data-period]");

/**
 * What a form of filters calls a period; empty for a custom one.
 * @param {HTMLElement} form
 * @param {string} period
 */
export const nameOfPeriod = (form, period) => periodsIn(form).find(({ dataset }) => dataset.period === period)?.textContent ?? "";

/**
 * The filters in an address; an unknown period is replaced by `usual`.
 * @param {string} search
 * @param {string} usual
 * @param {Calendar} calendar
 * @returns {State}
 */
export function readState(search, usual, { periods }) {
  const given = new URLSearchParams(search);
  const text = (/** @type {string} */ name) => given.get(name) ?? "";
  const named = { model: nameIn(given, "model"), client: nameIn(given, "client"), purpose: nameIn(given, "purpose") };
  const [from, to] = [dayOrNone(text("from")), dayOrNone(text("to"))];
  // Days without a period, as the API accepts them, are a custom period.
  const otherwise = !text("period") && (from || to) ? CUSTOM : usual;
  const period = Object.hasOwn(periods, text("period")) || text("period") === CUSTOM ? text("period") : otherwise;
  if (period !== CUSTOM) return { period, from: "", to: "", ...named };
  if (!from && !to) return { period: usual, from: "", to: "", ...named };
  return from && to && from > to ? { period, from: to, to: from, ...named } : { period, from, to, ...named };
}

/**
 * The days of a request to the API.
 * @param {Pick<State, "period" | "from" | "to">} state
 * @param {Calendar} calendar
 * @returns {Span}
 */
export function spanOf({ period, from, to }, { periods }) {
  return period === CUSTOM ? { ...(from && { from }), ...(to && { to }) } : periods[period];
}

/**
 * The parameters of an address without a period and days that its state does not have.
 * @param {string} search
 * @param {Pick<State, "period" | "from" | "to">} state
 */
export function tidied(search, { period, from, to }) {
  const query = new URLSearchParams(search);
  for (const [name, value] of Object.entries({ period, from, to })) {
    if (!query.has(name) || query.get(name) === value) continue;
    if (value && name !== "period") query.set(name, value);
    else query.delete(name);
  }
  return query;
}

/**
 * The filters as parameters of an address, without the `usual` period if it is given.
 * @param {State} state
 * @param {string} [usual]
 */
export function queryOf(state, usual) {
  const { period, from, to, ...names } = state;
  const given = Object.entries({ period, from, to }).filter(([name, value]) => value && !(name === "period" && value === usual));
  return queryFrom({ ...Object.fromEntries(given), ...namesOf(names) });
}

/**
 * The days from the first to the last day of some spans; a bound is open if one of theirs is.
 * @param {Span[]} spans
 * @returns {Span}
 */
export function cover(spans) {
  const [firsts, lasts] = [spans.map(({ from }) => from ?? ""), spans.map(({ to }) => to ?? "")];
  return {
    ...(firsts.every(Boolean) && { from: firsts.sort()[0] }),
    ...(lasts.every(Boolean) && { to: lasts.sort().at(-1) }),
  };
}

/**
 * A day within the range of the date fields; empty for anything else.
 * @param {string} text
 */
export function dayOrNone(text) {
  // The range of the date fields: a chart of eight thousand years is of no use.
  if (!/^2\d{3}-\d\d-\d\d$/.test(text)) return "";
  const time = Date.parse(`${text}T00:00:00Z`);
  // Some browsers read "2026-02-30" as the 2nd of March.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text) ? text : "";
}
