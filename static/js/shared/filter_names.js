// The model and the client of the filters, in the state of a page and as parameters of the API.

import { gettext } from "./i18n.js";

/** The value that stands for the calls without a model or client: no name has a NUL. */
export const WITHOUT = "\0";

const YES = /^\s*(1|true|on)\s*$/i;

/**
 * The model or client in an address; `WITHOUT` for calls that have none.
 * @param {URLSearchParams} given
 * @param {"model" | "client"} dim
 */
export const nameIn = (given, dim) => (YES.test(given.get(`no_${dim}`) ?? "") ? WITHOUT : given.get(dim) ?? "");

/**
 * Model and client as parameters: `no_client=1` for calls without a client, no parameter for all.
 * @param {{model?: string, client?: string}} state
 * @returns {Record<string, string>}
 */
export function namesOf({ model, client }) {
  const chosen = Object.entries({ model, client }).filter(([, value]) => value);
  return Object.fromEntries(chosen.map(([name, value]) => (value === WITHOUT ? [`no_${name}`, "1"] : [name, value ?? ""])));
}

/**
 * What a page shows for a model or client.
 * @param {string} dim
 * @param {string} name
 */
export function labelOf(dim, name) {
  if (name && name !== WITHOUT) return name;
  return dim === "model" ? gettext("no model") : gettext("no client");
}
