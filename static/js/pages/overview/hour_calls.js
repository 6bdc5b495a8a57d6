// From an hour of a chart to its calls.

import { at } from "../../shared/addresses.js";
import { queryOf } from "../../shared/periods.js";

/**
 * The address of the list of the calls of an hour.
 * @param {Pick<State, "model" | "client" | "purpose">} names
 * @param {string} day
 * @param {string} hour
 */
export function callsOfHour({ model, client, purpose }, day, hour) {
  const query = queryOf({ period: "custom", from: day, to: day, model, client, purpose });
  query.set("hour", String(Number(hour)));
  return at(`/records?${query}`);
}
