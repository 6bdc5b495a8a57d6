// The dialog that asks for the password again, where the server answers 403 `reauthenticate`.

import { byId, copyOf, fieldOf, find, findAll } from "./page_elements.js";
import { prepare } from "./passkey_answer.js";

/** @typedef {{password: string, code?: string, passkey?: string}} Given */

/** @type {Promise<boolean> | null} The answer of the open dialog, for all requests that wait for it. */
let asking = null;

/**
 * Asks for the password, and for the second factor if that is wanted, until `check` accepts them; false if the visitor
 * cancels.
 * @param {(given: Given) => Promise<any>} check
 * @param {boolean} withFactor
 */
export function askPassword(check, withFactor) {
  asking ??= ask(check, withFactor).finally(() => { asking = null; });
  return asking;
}

/**
 * @param {(given: Given) => Promise<any>} check
 * @param {boolean} withFactor
 * @returns {Promise<boolean>}
 */
function ask(check, withFactor) {
  const dialog = /** @type {HTMLDialogElement} */ (copyOf(byId("password-again", HTMLTemplateElement)));
  const form = find(dialog, "form", HTMLFormElement);
  const field = fieldOf(form, "password");
  const code = fieldOf(form, "code");
  const passkey = form.querySelector("[name=passkey]");
  const place = passkey?.closest("[data-passkey]");
  find(form, "[data-factor]").hidden = !withFactor;
  if (place instanceof HTMLElement) prepare(place);
  let isGiven = false;
  find(dialog, "[data-cancel]").addEventListener("click", () => dialog.close());
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (dialog.ariaBusy === "true") return;
    // A disabled button would lose the focus.
    dialog.ariaBusy = "true";
    try {
      const answer = passkey instanceof HTMLInputElement ? passkey.value : "";
      await check({ password: field.value, ...(withFactor ? { code: code.value, passkey: answer } : {}) });
      isGiven = true;
      dialog.close();
      document.dispatchEvent(new CustomEvent("archive:password-given"));
    } catch (error) {
      refuse(dialog, error.body?.field === "code" ? code : field, error);
      // An answer of a passkey is good for one question.
      if (passkey instanceof HTMLInputElement) passkey.value = "";
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
