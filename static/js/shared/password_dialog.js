// The dialog that asks for the password again, where the server answers 403 `reauthenticate`.

import { byId, copyOf, fieldOf, find, findAll } from "./page_elements.js";

/** @typedef {{password: string, code?: string}} Given */

/** @type {Promise<boolean> | null} The answer of the open dialog, for all requests that wait for it. */
let asking = null;

/**
 * Asks for the password, and for a code where the account has a second factor, until `check` accepts them; false if the
 * visitor cancels.
 * @param {(given: Given) => Promise<any>} check
 */
export function askPassword(check) {
  asking ??= ask(check).finally(() => { asking = null; });
  return asking;
}

/**
 * @param {(given: Given) => Promise<any>} check
 * @returns {Promise<boolean>}
 */
function ask(check) {
  const dialog = /** @type {HTMLDialogElement} */ (copyOf(byId("password-again", HTMLTemplateElement)));
  const form = find(dialog, "form", HTMLFormElement);
  const field = fieldOf(form, "password");
  const code = form.querySelector("[name=code]");
  let isGiven = false;
  find(dialog, "[data-cancel]").addEventListener("click", () => dialog.close());
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (dialog.ariaBusy === "true") return;
    // A disabled button would lose the focus.
    dialog.ariaBusy = "true";
    try {
      await check({ password: field.value, ...(code instanceof HTMLInputElement ? { code: code.value } : {}) });
      isGiven = true;
      dialog.close();
      document.dispatchEvent(new CustomEvent("archive:password-given"));
    } catch (error) {
      refuse(dialog, error.body?.field === "code" && code instanceof HTMLInputElement ? code : field, error);
    } finally {
      dialog.ariaBusy = "false";
    }
  });
  document.body.append(dialog);
  dialog.showModal();
  field.focus();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(isGiven);
    });
  });
}

/**
 * @param {HTMLDialogElement} dialog
 * @param {HTMLInputElement} field
 * @param {Error} error
 */
function refuse(dialog, field, error) {
  // Without a message, another dialog has reported that the session has ended.
  if (!error.message) {
    dialog.close();
    return;
  }
  for (const other of findAll(dialog, ".error")) other.hidden = true;
  const said = find(dialog, `#${field.id}-error`);
  said.textContent = error.message;
  said.hidden = false;
  field.setAttribute("aria-invalid", "true");
  field.select();
}
