// The way from an hour to its calls: the records of its day, oldest first, at the page on which the hour begins.

import { get } from "../../shared/api.js";
import { namesOf } from "../../shared/filter_names.js";
import { queryOf } from "../../shared/periods.js";

const PAGE_SIZE = 50;

/**
 * Leads to the calls of an hour.
 * @param {Pick<State, "model" | "client" | "purpose">} names
 * @param {string} day
 * @param {string} hour
 */
export async function openHour(names, day, hour) {
  // If the counts cannot be read, the first page of the day will do.
  const before = await callsBefore(names, day, hour).catch(() => 0);
  const { model, client, purpose } = names;
  const query = queryOf({ period: "custom", from: day, to: day, model, client, purpose });
  query.set("order", "ts_asc");
  const page = Math.floor(before / PAGE_SIZE) + 1;
  if (page > 1) query.set("page", String(page));
  location.assign(`/records?${query}`);
}

/**
 * How many calls of the day come before the hour.
 * @param {Pick<State, "model" | "client" | "purpose">} names
 * @param {string} day
 * @param {string} hour
 */
async function callsBefore(names, day, hour) {
  /** @type {Pick<Dims, "hour">} */
  const { hour: hours } = await get("/api/dims", { from: day, to: day, dim: "hour", ...namesOf(names) });
  return hours.filter(({ name }) => name < hour).reduce((sum, { calls }) => sum + calls, 0);
}
