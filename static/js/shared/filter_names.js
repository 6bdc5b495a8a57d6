// The models, clients and purposes of the filters, in the state of a page and as parameters of the API.

import { fill, gettext, listed, ngettext } from "./i18n.js";

/** @typedef {"model" | "client" | "purpose"} Dim */

/**
 * The filters by name.
 * @type {Dim[]}
 */
export const DIMS = ["model", "client", "purpose"];

/**
 * Whether a model, client or purpose is chosen.
 * @param {Partial<Record<Dim, string>>} state
 */
export const isNarrowed = (state) => DIMS.some((dim) => state[dim]);

/** The value that stands for the calls without a model, client or purpose: no name has a NUL. */
export const WITHOUT = "\0";

const YES = /^\s*(1|true|on)\s*$/i;

/** Between several names in the state of a page: no name has a NUL. */
const BETWEEN = "\0";
const LONGEST_LABEL = 28;

/**
 * Several names as one value of the state; one name is itself, and none is all.
 * @param {string[]} names
 */
export const joined = (names) => [...new Set(names)].filter(Boolean).join(BETWEEN);

/**
 * The names in a value of the state; none for all and for the calls without a name.
 * @param {string} value
 */
export const namesIn = (value) => value.split(BETWEEN).filter(Boolean);

/**
 * The names in an address as a value of the state; `WITHOUT` for calls that have none.
 * @param {URLSearchParams} given
 * @param {Dim} dim
 */
export const nameIn = (given, dim) => (YES.test(given.get(`no_${dim}`) ?? "") ? WITHOUT : joined(given.getAll(dim)));

/**
 * The names as parameters: `no_client=1` for calls without a client, no parameter for all, a list for several.
 * @param {Partial<Record<Dim, string>>} state
 * @returns {ManyParams}
 */
export function namesOf(state) {
  const chosen = DIMS.filter((dim) => state[dim]);
  return Object.fromEntries(chosen.map((dim) => paramOf(dim, state[dim] ?? "")));
}

/**
 * @param {Dim} dim
 * @param {string} value
 * @returns {[string, string | string[]]}
 */
function paramOf(dim, value) {
  if (value === WITHOUT) return [`no_${dim}`, "1"];
  const names = namesIn(value);
  return [dim, names.length > 1 ? names : value];
}

/**
 * What a page shows for a model, client or purpose, or for several.
 * @param {Dim} dim
 * @param {string} name
 */
export function labelOf(dim, name) {
  const names = namesIn(name);
  if (names.length > 1) return labelOfSeveral(dim, names);
  if (name && name !== WITHOUT) return name;
  // As a filter, it also selects the calls whose purpose is not known.
  return { model: gettext("no model"), client: gettext("no client"), purpose: name ? gettext("no known purpose") : gettext("no purpose") }[dim];
}

/**
 * @param {Dim} dim
 * @param {string[]} names
 */
function labelOfSeveral(dim, names) {
  const all = listed(names);
  if (all.length <= LONGEST_LABEL) return all;
  const { length: count } = names;
  const words = {
    model: ngettext("%(count)s model", "%(count)s models", count),
    client: ngettext("%(count)s client", "%(count)s clients", count),
    purpose: ngettext("%(count)s purpose", "%(count)s purposes", count),
  };
  return fill(words[dim], { count });
}
