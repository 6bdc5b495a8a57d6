// The choices beside the bars: what they show, and what one bar is. The address holds both.

import { GROUPED } from "../../charts/day_series.js";
import { fits } from "../../charts/day_groups.js";
import { find, findAll } from "../../shared/page_elements.js";

const SHOWS = ["credits", "calls", "free", "tokens"];

/**
 * @param {HTMLElement} part
 * @param {(changes: {show?: string, by?: string}) => void} set Changes the address.
 */
export function bindBarChoices(part, set) {
  for (const choice of findAll(part, "[name=show]", HTMLInputElement)) {
    choice.addEventListener("change", () => set({ show: choice.value === SHOWS[0] ? "" : choice.value }));
  }
  for (const choice of findAll(part, "[name=by]", HTMLInputElement)) choice.addEventListener("change", () => set({ by: choice.value }));
}

/**
 * What the address asks for; tokens only where some of the days have any.
 * @param {HTMLElement} part
 * @param {Day[]} days
 */
export function barChoices(part, days) {
  const asked = new URLSearchParams(location.search);
  const shows = days.some(({ tokens }) => tokens) ? SHOWS : SHOWS.slice(0, -1);
  find(part, "[data-tokens]").hidden = shows !== SHOWS;
  return { show: shows.find((one) => one === asked.get("show")) ?? SHOWS[0], by: asked.get("by") ?? "" };
}

/**
 * Shows what the bars show, what one is, and which other choices the span has room for.
 * @param {HTMLElement} part
 * @param {string} show
 * @param {Grain} grain
 * @param {Required<Span>} span
 */
export function showBarChoices(part, show, grain, { from, to }) {
  find(part, `[name="show"][value="${show}"]`, HTMLInputElement).checked = true;
  find(part, "[data-by]").hidden = grain === "hour";
  for (const one of GROUPED) {
    const choice = find(part, `[name="by"][value="${one}"]`, HTMLInputElement);
    choice.checked = one === grain;
    choice.disabled = !fits(from, to, one);
  }
}
