// The keyboard shortcuts of the records page; ignored in input fields and while another dialog is open.

import { byId, findAll, targetOf } from "../../shared/page_elements.js";

const TYPED_INTO = "input, select, textarea, [contenteditable]";
const list = byId("keys", HTMLDialogElement);

for (const button of findAll(document, "[data-keys]")) button.addEventListener("click", showKeys);

export function showKeys() {
  list.showModal();
}

/**
 * Binds actions to keys, by the name of the key.
 * @param {Record<string, () => void>} actions
 */
export function bindKeys(actions) {
  document.addEventListener("keydown", (event) => {
    const act = actions[event.key];
    if (!act || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (targetOf(event).closest(TYPED_INTO) || document.querySelector("dialog:modal:not(#record)")) return;
    event.preventDefault();
    act();
  });
}
