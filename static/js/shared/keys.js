// The keyboard shortcuts of a page and the dialog that lists them. Single keys are ignored in fields and while another dialog is open.

import { byId, findAll, targetOf } from "./page_elements.js";
import { leaveMenuOf } from "./pop_menu.js";

const TYPED_INTO = "input, select, textarea, [contenteditable]";
// Milliseconds in which the second key of two must follow.
const SOON = 1500;
const list = byId("keys", HTMLDialogElement);

for (const button of findAll(document, "[data-keys]")) button.addEventListener("click", () => { leaveMenuOf(button); showKeys(); });

export function showKeys() {
  if (!document.querySelector("dialog:modal:not(#record)")) list.showModal();
}

/**
 * Binds actions to keys, by the name of the key.
 * @param {Record<string, () => void>} actions
 */
export function bindKeys(actions) {
  document.addEventListener("keydown", (event) => {
    const act = actions[event.key];
    if (!act || isElsewhere(event)) return;
    event.preventDefault();
    act();
  });
}

/**
 * Binds actions to a key that follows the key `first`.
 * @param {string} first
 * @param {Record<string, () => void>} actions
 */
export function bindPairs(first, actions) {
  let pressedAt = -SOON;
  document.addEventListener("keydown", (event) => {
    if (isElsewhere(event)) return;
    const act = event.timeStamp - pressedAt < SOON ? actions[event.key] : undefined;
    pressedAt = event.key === first ? event.timeStamp : -SOON;
    if (!act) return;
    // Keys of the page do not act on the second key.
    event.preventDefault();
    act();
  });
}

/** @param {KeyboardEvent} event */
function isElsewhere(event) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return true;
  return targetOf(event).closest(TYPED_INTO) !== null || document.querySelector("dialog:modal:not(#record)") !== null;
}
