// The filters that only the list has: free or billed, with or without a prompt, least credits and tokens, an hour of the day.

import { bindPopMenu } from "../../shared/pop_menu.js";
import { whole } from "../../shared/formats.js";
import { fill, gettext } from "../../shared/i18n.js";
import { byId, fieldOf, find } from "../../shared/page_elements.js";

const NAMES = /** @type {const} */ (["free", "with_prompt", "credits_above", "tokens_above", "hour"]);
const CHOSEN = /** @type {const} */ (["free", "with_prompt", "hour"]);
const ABOVE = /** @type {const} */ (["credits_above", "tokens_above"]);
/** @typedef {Record<typeof NAMES[number], string>} ListFilters */

const menu = byId("more-filters", HTMLDetailsElement);
const form = find(menu, "form", HTMLFormElement);
const amounts = ABOVE.map((name) => fieldOf(form, name));
const hour = fieldOf(form, "hour", HTMLSelectElement);
const summary = find(menu, "summary");
const count = find(summary, "[data-count]");
const words = find(document, "[data-list-filters-words]");
const COST = new Map([["1", gettext("free")], ["0", gettext("billed")]]);
const PROMPT = new Map([["1", gettext("with a prompt")], ["0", gettext("without a prompt")]]);

/** The changes of the address that remove these filters. */
export const NO_LIST_FILTERS = { free: "", with_prompt: "", credits_above: "", tokens_above: "", hour: "" };

/**
 * Wires the menu: `go(changes)` changes the address.
 * @param {Go} go
 */
export function bindListFilters(go) {
  bindPopMenu(menu);
  for (const name of CHOSEN) {
    const field = fieldOf(form, name, HTMLSelectElement);
    field.addEventListener("change", () => go({ [name]: field.value, page: "" }));
  }
  const take = () => {
    if (amounts.every((field) => field.checkValidity())) go({ ...Object.fromEntries(amounts.map(({ name, value }) => [name, value])), page: "" });
  };
  for (const field of amounts) field.addEventListener("change", take);
  form.addEventListener("submit", (event) => { event.preventDefault(); take(); });
  find(form, "[data-clear]").addEventListener("click", () => { go({ ...NO_LIST_FILTERS, page: "" }); summary.focus(); });
}

/**
 * The filters in an address; values that the API would refuse are left out.
 * @param {URLSearchParams} given
 * @returns {ListFilters}
 */
export function listFiltersIn(given) {
  const yesOrNo = (/** @type {string} */ name) => (/^[01]$/.test(given.get(name) ?? "") ? given.get(name) ?? "" : "");
  const [above, tokens] = ABOVE.map((name) => given.get(name) ?? "");
  const hour = given.get("hour") ?? "";
  return {
    free: yesOrNo("free"),
    with_prompt: yesOrNo("with_prompt"),
    credits_above: /^\d{1,12}(\.\d{1,18})?$/.test(above) ? above : "",
    tokens_above: /^\d{1,12}$/.test(tokens) ? tokens : "",
    hour: /^([01]?\d|2[0-3])$/.test(hour) ? hour : "",
  };
}

/** @param {ListFilters} filters */
export function showListFilters(filters) {
  fieldOf(form, "free", HTMLSelectElement).value = filters.free;
  fieldOf(form, "with_prompt", HTMLSelectElement).value = filters.with_prompt;
  hour.value = filters.hour && String(Number(filters.hour));
  ABOVE.forEach((name, place) => { if (amounts[place].value !== filters[name]) amounts[place].value = filters[name]; });
  // Where no call has tokens, it is offered to nobody but those who have it.
  find(form, "[data-tokens]").toggleAttribute("data-chosen", Boolean(filters.tokens_above));
  const chosen = NAMES.filter((name) => filters[name]).length;
  menu.toggleAttribute("data-chosen", chosen > 0);
  count.textContent = chosen ? ` · ${whole(chosen)}` : "";
  find(form, "[data-clear]").hidden = !chosen;
  words.textContent = wordsOf(filters).map((text) => ` · ${text}`).join("");
}

/**
 * The filters in words, for the line that is printed with the page. The menu must show them already.
 * @param {ListFilters} filters
 */
function wordsOf({ free, with_prompt: prompt, credits_above: above, tokens_above: tokens, hour: time }) {
  const [cost, text] = [COST.get(free), PROMPT.get(prompt)];
  return [
    cost && fill(gettext("%(name)s: %(value)s"), { name: gettext("Cost"), value: cost }),
    text && fill(gettext("%(name)s: %(value)s"), { name: gettext("Prompt"), value: text }),
    above && fill(gettext("%(Unit)s above %(amount)s"), { amount: above }),
    tokens && fill(gettext("Tokens above %(amount)s"), { amount: tokens }),
    time && fill(gettext("%(name)s: %(value)s"), { name: gettext("Hour"), value: hour.selectedOptions[0].text }),
  ].filter(Boolean);
}
