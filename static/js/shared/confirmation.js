// The question before something is ended for good: templates/confirmation.html.

import { find, findAll } from "./page_elements.js";

/**
 * Asks about the thing with a name, if it has one; gives whether the answer was yes.
 * @param {HTMLDialogElement} dialog
 * @param {string} name
 * @returns {Promise<boolean>}
 */
export function confirmed(dialog, name) {
  for (const place of findAll(dialog, "[data-name]")) place.textContent = name;
  // The second click of the double click that opened the dialog is no answer.
  dialog.onclick = (event) => { if (event.detail > 1) event.preventDefault(); };
  dialog.showModal();
  return new Promise((resolve) => {
    // The close event comes later than the answer, when the dialog may have been opened again.
    find(dialog, "form").onsubmit = ({ submitter }) => resolve(submitter instanceof HTMLButtonElement && submitter.value === "yes");
    dialog.onclose = () => { if (!dialog.open) resolve(false); };
  });
}
