// Where the nouns of a sentence lead.

import { monthOf } from "./sentence_names.js";
import { at } from "../../shared/addresses.js";
import { isNarrowed, WITHOUT } from "../../shared/filter_names.js";
import { queryOf } from "../../shared/periods.js";

/**
 * @param {import("./sentence.js").Asked} asked
 */
export function addressesOf({ state, span, today }) {
  const overview = (/** @type {State} */ other) => at(`/?${queryOf(other)}`);
  const records = (/** @type {Record<string, string>} */ more) => {
    const query = queryOf(state);
    for (const [name, value] of Object.entries(more)) query.set(name, value);
    return at(`/records?${query}`);
  };
  const days = (/** @type {string} */ from, /** @type {string} */ to) => overview({ ...state, period: "custom", from, to });
  const month = isNarrowed(state) ? "" : monthOf(span, today);
  return {
    period: month ? at(`/statements/${month}`) : records({}),
    dearest: records({ order: "credits_desc" }),
    days,
    earlier: (/** @type {Comparison} */ { window: { from, to } }) => days(from ?? "", to ?? ""),
    name: (/** @type {string} */ dim, /** @type {string} */ name) => overview({ ...state, [dim]: name || WITHOUT }),
    call: (/** @type {string} */ id) => records({ order: "credits_desc", record: id }),
  };
}
