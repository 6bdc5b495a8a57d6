// The state of the list in the address of the page, besides the filters by days and names.

import { listFiltersIn } from "./list_filters.js";
import { replaceQuery } from "../../shared/query.js";

/** What an address without these parameters means. */
export const DEFAULTS = { period: "all", order: "ts_desc", size: "50" };
const ORDERS = ["ts_desc", "ts_asc", "credits_desc", "credits_asc", "model_asc", "client_asc"];
const SIZES = ["20", "50", "100", "200"];
/** @typedef {{q: string, order: string, size: string, page: string, record: string | null, only: import("./list_filters.js").ListFilters}} Asked */

/**
 * The parameters of the address besides the filters; unknown values are replaced by the defaults.
 * @returns {Asked}
 */
export function asked() {
  const given = new URLSearchParams(location.search);
  const text = (/** @type {string} */ name) => given.get(name) ?? "";
  const known = (/** @type {"order" | "size"} */ name, /** @type {string[]} */ values) => (values.includes(text(name)) ? text(name) : DEFAULTS[name]);
  return {
    q: text("q"),
    order: known("order", ORDERS),
    size: known("size", SIZES),
    page: /^[1-9]\d{0,8}$/.test(text("page")) ? text("page") : "1",
    record: given.get("record"),
    only: listFiltersIn(given),
  };
}

/** Removes values that `asked` replaces, so that the address says what holds. */
export function tidyAddress() {
  const query = new URLSearchParams(location.search);
  const { order, size, page, only } = asked();
  const wrong = Object.entries({ order, size, page, ...only }).filter(([name, value]) => query.has(name) && query.get(name) !== value);
  for (const [name] of wrong) query.delete(name);
  replaceQuery(query);
}

/**
 * The address of this page with one parameter changed.
 * @param {string} name
 * @param {string} value
 */
export function addressWith(name, value) {
  const query = new URLSearchParams(location.search);
  query.delete(name);
  if (value) query.set(name, value);
  return String(query) ? `${location.pathname}?${query}` : location.pathname;
}
