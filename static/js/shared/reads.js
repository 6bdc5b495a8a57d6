// The reads that a page asks the API for, as the page carries them: `usage/overview_reads.py` lists them.

import { get } from "./api.js";
import { byId } from "./page_elements.js";
import { calendarOf, cover } from "./periods.js";

/**
 * The answer to one of the page's reads, for the days and names of the filters.
 * @template T
 * @param {string} name
 * @param {{span?: Span, named?: Record<string, string>, signal?: AbortSignal}} [filters]
 * @returns {Promise<T>}
 */
export function ask(name, { span = {}, named = {}, signal } = {}) {
  const form = byId("filters");
  /** @type {Record<string, Read>} */
  const reads = JSON.parse(form.dataset.reads ?? "{}");
  const { periods, year } = calendarOf(form);
  return get(reads[name].path, paramsOf(reads[name], { ...periods, period: span, year }, named), signal);
}

/**
 * What a read asks for.
 * @param {Read} read
 * @param {Record<string, Span>} spans
 * @param {Record<string, string>} named
 * @returns {Record<string, string>}
 */
export function paramsOf({ days, narrowed, fixed }, spans, named) {
  return { ...cover(days.map((name) => spans[name])), ...(narrowed && named), ...fixed };
}
