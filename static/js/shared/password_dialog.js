// The dialog that asks for the password again, where the server answers 403 `reauthenticate`.

import { byId, copyOf, fieldOf, find } from "./page_elements.js";

/** @type {Promise<boolean> | null} The answer of the open dialog, for all requests that wait for it. */
let asking = null;

/**
 * Asks for the password until `check` accepts it; false if the visitor cancels.
 * @param {(password: string) => Promise<any>} check
 */
export function askPassword(check) {
  asking ??= ask(check).finally(() => { asking = null; });
  return asking;
}

/**
 * @param {(password: string) => Promise<any>} check
 * @returns {Promise<boolean>}
 */
function ask(check) {
  const dialog = /** @type {HTMLDialogElement} */ (copyOf(byId("password-again", HTMLTemplateElement)));
  const form = find(dialog, "form", HTMLFormElement);
  const field = fieldOf(form, "password");
  let isGiven = false;
  find(dialog, "[data-cancel]").addEventListener("click", () => dialog.close());
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (dialog.ariaBusy === "true") return;
    // A disabled button would lose the focus.
    dialog.ariaBusy = "true";
    try {
      await check(field.value);
      isGiven = true;
      dialog.close();
      document.dispatchEvent(new CustomEvent("archive:password-given"));
    } catch (error) {
      refuse(dialog, field, error);
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
  const said = find(dialog, ".error");
  said.textContent = error.message;
  said.hidden = false;
  field.setAttribute("aria-invalid", "true");
  field.select();
}
