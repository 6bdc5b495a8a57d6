// Forms of settings. Each is saved on its own; a refused value is reported at its field, accepted ones stay saved.

import { get, post } from "./api.js";
import { clear as clearErrors, say, sayDone, sayToForm } from "./form_fields.js";
import { withoutKey } from "./formats.js";
import { fill, gettext, listed, sentences } from "./i18n.js";
import { find, findAll } from "./page_elements.js";
import { watchChanges } from "./unsaved.js";

/**
 * @typedef {HTMLInputElement | HTMLSelectElement} Field
 * @typedef {object} Times A list of times, whose field holds only the next one to be added.
 * @property {() => string} text The list, in the format of the setting.
 * @property {(text: string) => void} show
 * @property {() => boolean} add Adds what is typed; false if it is refused.
 * @property {() => unknown} saved Called after the schedule was saved.
 */

/**
 * Binds all forms of settings on the page; gives a function that shows their buttons again after a change by a script.
 * @param {Times} [times]
 */
export function bindSettingsForms(times) {
  const renewals = findAll(document, "[data-settings-form]", HTMLFormElement).map((form) => bind(form, times));
  return () => renewals.forEach((renew) => renew());
}

/**
 * @param {HTMLFormElement} form
 * @param {Times} [times]
 */
function bind(form, times) {
  const fields = /** @type {Field[]} */ (findAll(form, "[data-saved]"));
  const edited = () => fields.filter((field) => valueOf(field, times) !== field.dataset.saved);
  const isTyped = () => fields.some(({ type, value }) => type === "time" && value !== "");
  const renew = watchChanges(form, () => edited().length + Number(isTyped()));
  form.addEventListener("input", () => { sayDone(form, ""); });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    clearErrors(form);
    if (isTyped() && !times?.add()) return;
    if (!edited().length) {
      sayDone(form, gettext("Nothing was changed."));
      return;
    }
    await save(form, edited(), times);
    renew();
  });
  return renew;
}

/**
 * @param {HTMLFormElement} form
 * @param {Field[]} edited
 * @param {Times} [times]
 */
async function save(form, edited, times) {
  const button = find(form, "[type=submit]", HTMLButtonElement);
  button.ariaBusy = "true";
  sayDone(form, "");
  try {
    const body = Object.fromEntries(edited.map((field) => [field.name, valueOf(field, times)]));
    const { changed } = await post("/api/settings", body);
    await settle(edited, changed, times);
    sayDone(form, gettext("Saved."));
  } catch (error) {
    await settle(edited, error.body?.changed ?? [], times).catch(() => {});
    showErrors(form, edited, error);
  } finally {
    button.ariaBusy = "false";
  }
  if (edited.some(({ name }) => name.startsWith("schedule_"))) await times?.saved();
}

/**
 * Writes the stored, normalized values back into their fields.
 * @param {Field[]} edited
 * @param {string[]} changed
 * @param {Times} [times]
 */
async function settle(edited, changed, times) {
  if (!changed.length) return;
  const settings = await get("/api/settings");
  for (const field of edited.filter(({ name }) => changed.includes(name))) {
    field.dataset.saved = settings[field.name];
    showValue(field, settings[field.name], times);
  }
}

/**
 * @param {HTMLFormElement} form
 * @param {Field[]} edited
 * @param {import("./api.js").ApiError} error
 */
function showErrors(form, edited, error) {
  const rest = [];
  for (const text of error.body?.errors ?? [error.message]) {
    const field = edited.find(({ name }) => text.startsWith(`${name} `));
    if (field) say(field, withoutKey(text, field.name));
    else rest.push(text);
  }
  const kept = error.body?.changed ?? [];
  const names = kept.map((/** @type {string} */ name) => edited.find((field) => field.name === name)?.labels?.[0].textContent ?? name);
  if (kept.length) sayDone(form, fill(gettext("Saved: %(names)s."), { names: listed(names) }));
  sayToForm(form, sentences(rest));
  findAll(form, "[aria-invalid=true]")[0]?.focus();
}

/**
 * @param {Field} field
 * @param {Times} [times]
 */
function valueOf(field, times) {
  if (field instanceof HTMLInputElement && field.type === "checkbox") return field.checked ? "1" : "0";
  return field.type === "time" && times ? times.text() : field.value.trim();
}

/**
 * @param {Field} field
 * @param {string} value
 * @param {Times} [times]
 */
function showValue(field, value, times) {
  if (field instanceof HTMLInputElement && field.type === "checkbox") field.checked = value === "1";
  else if (field.type === "time") times?.show(value);
  else field.value = value;
}
