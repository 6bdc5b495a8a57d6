// Forms with something that is not saved: a Save shows, and leaving the page asks first. Forms with a row for it share one
// bar at the end of the window, which counts the changes of all and saves them: the row of the form that changed last.

import { whole } from "./formats.js";
import { fill, ngettext } from "./i18n.js";
import { find, focused } from "./page_elements.js";

/** @type {Map<HTMLFormElement, () => number>} How many changes of each are not saved. */
const watched = new Map();

window.addEventListener("beforeunload", (event) => { if ([...watched.values()].some((changes) => changes())) event.preventDefault(); });

/**
 * Watches a form; the result shows or hides its Save, for changes that no event announces.
 * @param {HTMLFormElement} form
 * @param {() => number} changes How many are not saved.
 */
export function watchChanges(form, changes) {
  const renew = () => showBar(form);
  watched.set(form, changes);
  for (const name of ["input", "change"]) form.addEventListener(name, renew);
  if (rowOf(form)) saveOf(form).addEventListener("click", () => saveOthers(form));
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

/** @param {HTMLFormElement} form */
const rowOf = (form) => form.querySelector(".save-row");

/** @param {HTMLFormElement} form */
const changesOf = (form) => watched.get(form)?.() ?? 0;

/** The forms of the bar that have changes. */
const inBar = () => [...watched.keys()].filter((form) => rowOf(form) && changesOf(form));

/**
 * @param {HTMLFormElement} form
 * @returns {HTMLButtonElement}
 */
function saveOf(form) {
  return /** @type {HTMLButtonElement} */ ([...form.elements].find((one) => one instanceof HTMLButtonElement && one.type === "submit"));
}

/** @param {HTMLFormElement} saved */
function saveOthers(saved) {
  for (const form of inBar()) if (form !== saved) form.requestSubmit();
}

/** @param {HTMLFormElement} form The one that may have changed. */
function showBar(form) {
  if (!rowOf(form)) {
    showSave(form, changesOf(form) > 0);
    return;
  }
  const changed = inBar();
  const bar = changed.includes(form) ? form : changed.at(-1);
  const count = changed.reduce((sum, one) => sum + changesOf(one), 0);
  const words = fill(ngettext("%(count)s unsaved change", "%(count)s unsaved changes", count), { count: whole(count) });
  for (const one of watched.keys()) {
    const row = rowOf(one);
    if (!row) continue;
    row.toggleAttribute("data-bar", one === bar);
    find(row, "[data-unsaved]").textContent = one === bar ? words : "";
    showSave(one, one === bar);
  }
}

/**
 * @param {HTMLFormElement} form
 * @param {boolean} isChanged
 */
function showSave(form, isChanged) {
  const button = saveOf(form);
  const held = focused() === button;
  button.hidden = !isChanged;
  // The focus would be lost with the button.
  if (held && button.hidden) find(button.parentElement ?? form, "[role=status][tabindex]").focus();
}
