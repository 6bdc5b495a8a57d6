// The API reads of a page, described in its HTML; `usage/overview_reads.py` lists them.

import { get } from "./api.js";
import { byId } from "./page_elements.js";
import { calendarOf, cover } from "./periods.js";

/**
 * The answer to one read of the page, for the days and names of the filters, and the comparison.
 * @template T
 * @param {string} name
 * @param {{span?: Span, named?: ManyParams, compare?: string, signal?: AbortSignal}} [filters]
 * @returns {Promise<T>}
 */
export function ask(name, { span = {}, named = {}, compare = "", signal } = {}) {
  const form = byId("filters");
  const [path, described] = JSON.parse(form.dataset.reads ?? "{}")[name].split("?");
  const { periods, year } = calendarOf(form);
  return get(path, paramsOf(described, { ...periods, period: span, year }, named, compare), signal);
}

/**
 * The parameters of a read: the days from the first to the last one of its spans, the chosen names, and its fixed parameters.
 * @param {string} described
 * @param {Record<string, Span>} spans
 * @param {ManyParams} named
 * @param {string} [compare]
 * @returns {ManyParams}
 */
export function paramsOf(described, spans, named, compare) {
  const { days, narrowed, compared, ...fixed } = Object.fromEntries(new URLSearchParams(described));
  return { ...cover(days.split(" ").map((name) => spans[name])), ...(narrowed && named), ...(compared && compare && { compare }), ...fixed };
}
