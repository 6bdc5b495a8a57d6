// The keys of the records: silent where something is typed, and while another dialog asks.

import { byId, findAll, targetOf } from "../../shared/page_elements.js";

const TYPED_INTO = "input, select, textarea, [contenteditable]";
const list = byId("keys", HTMLDialogElement);

for (const button of findAll(document, "[data-keys]")) button.addEventListener("click", showKeys);

export function showKeys() {
  list.showModal();
}

/**
 * Runs what is bound to a key, by its name.
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
