// The dialog of an archive's rate: what one of its unit is worth.

import { fieldOf, find } from "../../shared/page_elements.js";

/**
 * Shows the rate of an archive's card.
 * @param {HTMLDialogElement} dialog
 * @param {DOMStringMap} card
 */
export function fillRate(dialog, { rate = "", rateUnit = "", unit = "" }) {
  const { amount, currency } = fieldsOf(dialog);
  amount.value = rate;
  // Its own unit needs no rate.
  for (const option of currency.options) option.hidden = option.disabled = option.value === unit;
  currency.value = rateUnit || ([...currency.options].find((option) => !option.disabled)?.value ?? "");
}

/**
 * The rate that is typed; null for none.
 * @param {HTMLDialogElement} dialog
 */
export function typedRate(dialog) {
  const { amount, currency } = fieldsOf(dialog);
  return amount.value.trim() ? { amount: amount.value.trim(), unit: currency.value } : null;
}

/** @param {HTMLDialogElement} dialog */
function fieldsOf(dialog) {
  const form = find(dialog, "form", HTMLFormElement);
  return { amount: fieldOf(form, "amount"), currency: fieldOf(form, "unit", HTMLSelectElement) };
}
