// A button that answers with a passkey and sends its form.

import { gettext } from "./i18n.js";
import { fieldOf, find } from "./page_elements.js";

/**
 * Shows the button where the browser has passkeys.
 * @param {HTMLElement} place
 */
export function prepare(place) {
  if (!window.PublicKeyCredential?.parseRequestOptionsFromJSON) return;
  place.hidden = false;
  find(place, "button", HTMLButtonElement).addEventListener("click", () => { void answer(place); });
}

/** @param {HTMLElement} place */
async function answer(place) {
  const form = /** @type {HTMLFormElement} */ (place.closest("form"));
  const said = find(place, "[data-said]");
  said.hidden = true;
  try {
    const question = await asked(place.dataset.passkey ?? "", fieldOf(form, "_csrf").value);
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(question.publicKey);
    const given = /** @type {PublicKeyCredential | null} */ (await navigator.credentials.get({ publicKey }));
    if (!given) throw new Error(gettext("The passkey was not used."));
    fieldOf(form, "passkey").value = JSON.stringify(given.toJSON());
    form.requestSubmit();
  } catch (error) {
    // A visitor who cancels, and a browser that finds no passkey, are told apart by nobody.
    said.textContent = error instanceof DOMException ? gettext("The passkey was not used.") : error.message;
    said.hidden = false;
  }
}

/**
 * What the passkey is asked.
 * @param {string} address
 * @param {string} token
 */
async function asked(address, token) {
  const response = await fetch(address, { method: "POST", headers: { "X-CSRF-Token": token } });
  const body = await response.json();
  if (!response.ok) throw new Error(body.message);
  return body;
}
