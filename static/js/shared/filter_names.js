// The model, the client and the purpose of the filters, in the state of a page and as parameters of the API.

import { gettext } from "./i18n.js";

/** @typedef {"model" | "client" | "purpose"} Dim */

/**
 * The filters by name.
 * @type {Dim[]}
 */
export const DIMS = ["model", "client", "purpose"];

/** The value that stands for the calls without a model, client or purpose: no name has a NUL. */
export const WITHOUT = "\0";

const YES = /^\s*(1|true|on)\s*$/i;

/**
 * The name in an address; `WITHOUT` for calls that have none.
 * @param {URLSearchParams} given
 * @param {Dim} dim
 */
export const nameIn = (given, dim) => (YES.test(given.get(`no_${dim}`) ?? "") ? WITHOUT : given.get(dim) ?? "");

/**
 * The names as parameters: `no_client=1` for calls without a client, no parameter for all.
 * @param {Partial<Record<Dim, string>>} state
 * @returns {Record<string, string>}
 */
export function namesOf(state) {
  const chosen = DIMS.filter((dim) => state[dim]);
  return Object.fromEntries(chosen.map((dim) => (state[dim] === WITHOUT ? [`no_${dim}`, "1"] : [dim, state[dim] ?? ""])));
}

/**
 * What a page shows for a model, client or purpose.
 * @param {Dim} dim
 * @param {string} name
 */
export function labelOf(dim, name) {
  if (name && name !== WITHOUT) return name;
  return { model: gettext("no model"), client: gettext("no client"), purpose: gettext("no purpose") }[dim];
}
