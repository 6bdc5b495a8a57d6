// Menus that open below their button: `details` elements that close with Escape and with a click outside.

import { find, targetOf } from "./page_elements.js";

/**
 * @param {HTMLDetailsElement} menu
 * @param {HTMLElement} [box] What opens, where that is beside the menu.
 */
export function bindPopMenu(menu, box = menu) {
  for (const place of new Set([menu, box])) place.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !menu.open) return;
    // The key closes one thing at a time.
    event.preventDefault();
    event.stopPropagation();
    menu.open = false;
    find(menu, "summary").focus();
  });
  document.addEventListener("pointerdown", (event) => {
    const target = targetOf(event);
    // A dialog that was opened from the menu leads back to it.
    if (menu.open && !menu.contains(target) && !box.contains(target) && !target.closest("dialog")) menu.open = false;
  });
}

/**
 * Closes the menu that a button is in, and moves the focus to the menu's own button.
 * @param {HTMLElement} button
 */
export function leaveMenuOf(button) {
  const menu = button.closest("details");
  if (!menu) return;
  menu.open = false;
  find(menu, "summary").focus();
}
