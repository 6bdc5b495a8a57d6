// The API reads of a page, described in its HTML; `usage/overview_reads.py` lists them.

import { get } from "./api.js";
import { byId } from "./page_elements.js";
import { calendarOf, cover } from "./periods.js";

// Seconds. A longer wait is said.
const LONGEST_WAIT = 60;

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
  return askPatiently(path, paramsOf(described, { ...periods, period: span, year }, named, compare), signal);
}

/**
 * A read that is repeated once where the server asks to wait.
 * @param {string} path
 * @param {ManyParams} params
 * @param {AbortSignal | undefined} signal
 */
async function askPatiently(path, params, signal) {
  try {
    return await get(path, params, signal);
  } catch (error) {
    if (error.status !== 429 || !error.retryAfter || error.retryAfter > LONGEST_WAIT) throw error;
    // Loaded when it is first needed.
    await (await import("./silent_wait.js")).rest(error.retryAfter, signal);
    return get(path, params, signal);
  }
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
  return { ...(days && cover(days.split(" ").map((name) => spans[name]))), ...(narrowed && named), ...(compared && compare && { compare }), ...fixed };
}
