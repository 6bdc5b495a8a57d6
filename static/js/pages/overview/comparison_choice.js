// What the period is compared with: a picker in the menu of the period. The address holds the choice as `compare`.

import { gettext } from "../../shared/i18n.js";
import { byId, fieldOf, find } from "../../shared/page_elements.js";
import { dayOrNone, periodsIn } from "../../shared/periods.js";
import { replaceQuery } from "../../shared/query.js";

const [PREVIOUS, CUSTOM, NONE] = ["previous", "custom", "none"];
const DAYS = ["comparison-from", "comparison-to"];
const TYPING = 600;

/**
 * The choice in an address: "previous", "month", "year", "none", or days as FROM..TO; "previous" for anything else.
 * @param {string} search
 */
export function choiceIn(search) {
  const given = new URLSearchParams(search).get("compare") ?? "";
  if (["month", "year", NONE].includes(given)) return given;
  const [from, to] = given.split("..");
  return dayOrNone(from) && dayOrNone(to ?? "") ? given : PREVIOUS;
}

/**
 * The value of `compare` of the API for a choice; empty for none. The page knows the days before each period.
 * @param {string} choice
 * @param {string} period
 */
export function comparedWith(choice, period) {
  if (choice === NONE) return "";
  if (choice !== PREVIOUS) return choice;
  return periodsIn(byId("filters")).find(({ dataset }) => dataset.period === period)?.dataset.previous ?? PREVIOUS;
}

/**
 * Wires the picker; `onChoice(choice)` gets the value for the address, empty for the usual choice. Returns what shows the
 * choice of the address.
 * @param {(choice: string) => void} onChoice
 * @param {() => Span} earlier The days that are compared with at present.
 */
export function bindComparison(onChoice, earlier) {
  const form = byId("filters", HTMLFormElement);
  const select = fieldOf(form, "comparison", HTMLSelectElement);
  const nameUsual = usualName(find(select, `[value="${PREVIOUS}"]`));
  const [from, to] = DAYS.map((name) => fieldOf(form, name));
  /** @type {number | undefined} */
  let typing;

  function take() {
    clearTimeout(typing);
    if (from.checkValidity() && to.checkValidity() && from.value && to.value) onChoice(`${from.value}..${to.value}`);
  }

  function show() {
    const choice = choiceIn(location.search);
    const query = new URLSearchParams(location.search);
    // A comparison that the page does not follow leaves the address.
    if (query.has("compare") && query.get("compare") !== choice) query.delete("compare");
    replaceQuery(query);
    const days = choice.includes("..") ? choice.split("..") : null;
    nameUsual(query.get("period"));
    select.value = days ? CUSTOM : choice;
    find(form, "[data-comparison-days]").hidden = !days;
    if (days) [from.value, to.value] = days;
  }

  select.addEventListener("change", () => {
    const { from: first, to: last } = earlier();
    if (select.value !== CUSTOM) onChoice(select.value === PREVIOUS ? "" : select.value);
    else if (first && last) onChoice(`${first}..${last}`);
    else find(form, "[data-comparison-days]").hidden = false;
  });
  for (const field of [from, to]) {
    field.addEventListener("change", () => { clearTimeout(typing); typing = setTimeout(take, TYPING); });
  }
  form.addEventListener("submit", take);
  show();
  return show;
}

/**
 * Names the usual choice for a period: before all days there are none.
 * @param {HTMLElement} option
 */
function usualName(option) {
  const words = option.textContent;
  return (/** @type {string | null} */ period) => { option.textContent = period === "all" ? gettext("no period before") : words; };
}
