// Forms that are sent through the API: an error is shown beside its field, or for the whole form.

import { ApiError } from "./api.js";
import { gettext } from "./i18n.js";
import { byId, find, findAll } from "./page_elements.js";

// The API refuses accounts with one sentence; the first of these words in it determines the field.
/** @type {[string, string[]][]} */
const PLACES = [
  // Translators: these in lower case; the sentences that refuse a password, name or email must hold the very same words.
  [gettext("old password"), ["old"]],
  [gettext("two passwords"), ["new2", "password2"]],
  [gettext("password"), ["new", "password"]],
  [gettext("user name"), ["username"]],
  [gettext("name shown"), ["display_name"]],
  [gettext("email"), ["email"]],
];

/**
 * Shows `message` beside a field; an empty one clears it.
 * @param {HTMLElement} field
 * @param {string} message
 */
export function say(field, message) {
  const error = byId(`${field.id}-error`);
  error.textContent = message;
  error.hidden = !message;
  field.setAttribute("aria-invalid", String(Boolean(message)));
}

/**
 * @param {HTMLFormElement} form
 * @param {string} message
 */
export function sayToForm(form, message) {
  const error = find(form, "[data-form-error]");
  error.textContent = message;
  error.hidden = !message;
}

/**
 * @param {HTMLFormElement} form
 * @param {string} message
 */
export function sayDone(form, message) {
  find(form, "[data-form-done]").textContent = message;
}

/** @param {HTMLFormElement} form */
export function clear(form) {
  for (const field of findAll(form, "[aria-invalid=true]")) say(field, "");
  sayToForm(form, "");
  sayDone(form, "");
}

/**
 * Runs `send` at each submit, one at a time. An ApiError is shown in the form, and the input stays.
 * Until then a form of a page is inert: the browser would send it itself, to a page that refuses it.
 * @param {HTMLFormElement} form
 * @param {() => Promise<void>} send
 */
export function onSubmit(form, send) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (form.ariaBusy === "true") return;
    clear(form);
    // A disabled button would lose the focus.
    form.ariaBusy = "true";
    try {
      await send();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // The password that is asked for again is none of the form's fields.
      if (error.code === "reauthenticate") sayToForm(form, error.message);
      else refuse(form, error.message);
    } finally {
      form.ariaBusy = "false";
    }
  });
  form.inert = false;
}

/**
 * Shows an error at its field and moves the focus there.
 * @param {HTMLFormElement} form
 * @param {string} message
 */
export function refuse(form, message) {
  const sentence = message.toLowerCase();
  const names = PLACES.find(([words]) => sentence.includes(words))?.[1] ?? [];
  const field = names.map((name) => form.elements.namedItem(name)).find((found) => found instanceof HTMLElement && found.checkVisibility());
  if (!(field instanceof HTMLElement)) {
    sayToForm(form, message);
    return;
  }
  say(field, message);
  field.focus();
}
