// Forms with something that is not saved: their Save shows, and leaving the page asks first.

import { find, focused } from "./page_elements.js";

/** @type {Map<HTMLFormElement, () => boolean>} */
const watched = new Map();

window.addEventListener("beforeunload", (event) => { if ([...watched.values()].some((isChanged) => isChanged())) event.preventDefault(); });

/**
 * Watches a form; the result shows or hides its Save, for changes that no event announces.
 * @param {HTMLFormElement} form
 * @param {() => boolean} isChanged
 */
export function watchChanges(form, isChanged) {
  const renew = () => showSave(form, isChanged());
  watched.set(form, isChanged);
  for (const name of ["input", "change"]) form.addEventListener(name, renew);
  renew();
  return renew;
}

/**
 * Whether a field differs from what the page holds as stored.
 * @param {HTMLInputElement | HTMLSelectElement} field
 */
export function differs(field) {
  if (field instanceof HTMLInputElement) return field.value !== field.defaultValue;
  const options = [...field.options];
  return field.selectedOptions[0] !== (options.find((option) => option.defaultSelected) ?? options[0]);
}

/**
 * Takes the values of the fields for those that are stored.
 * @param {(HTMLInputElement | HTMLSelectElement)[]} fields
 */
export function settle(fields) {
  for (const field of fields) {
    if (field instanceof HTMLInputElement) field.defaultValue = field.value;
    else for (const option of field.options) option.defaultSelected = option.selected;
  }
}

/**
 * @param {HTMLFormElement} form
 * @param {boolean} isChanged
 */
function showSave(form, isChanged) {
  const button = /** @type {HTMLButtonElement} */ ([...form.elements].find((one) => one instanceof HTMLButtonElement && one.type === "submit"));
  const held = focused() === button;
  button.hidden = !isChanged;
  // The focus would be lost with the button.
  if (held && button.hidden) find(button.parentElement ?? form, "[role=status]").focus();
}
