// The part of the overview that shows the hours of the week, of all models or of one.

import { callsOfHour } from "./hour_calls.js";
import { ModelHours } from "./model_hours.js";
import { hoursMap } from "../../charts/hours_map.js";
import { find } from "../../shared/page_elements.js";

/**
 * Returns what shows the hours of a span; hidden for a single day, whose hours are in the bars.
 * @param {HTMLElement} part
 * @param {{state: State, set: (changes: {hours_of: string}) => void}} filters
 * @param {import("./hatched_parts.js").HatchedParts} hatched
 */
export function hoursPart(part, filters, hatched) {
  const choice = new ModelHours(find(part, "[data-hours-of]", HTMLSelectElement), (model) => filters.set({ hours_of: model }));
  const map = hoursMap(part, (day, hour) => callsOfHour({ ...filters.state, ...(choice.model && { model: choice.model }) }, day, hour));

  /** @type {(given: {daily: Daily, dims: Dims}, days: string[], span: Span, signal: AbortSignal) => Promise<void>} */
  return async ({ daily, dims }, [from, to], span, signal) => {
    part.hidden = from === to;
    if (from === to) return;
    choice.offer(dims.model, filters.state.model);
    const { model } = choice;
    const shown = model ? await choice.read(span, filters.state, signal) : daily;
    // Another model may have been chosen meanwhile.
    if (!signal.aborted && model === choice.model) hatched.show("hours", () => map.show(shown.days, from, to, hatched.ledger));
  };
}
