// The buttons beside password fields that show and hide what is typed.

import { find, findAll, targetOf } from "./page_elements.js";

document.addEventListener("click", (event) => {
  const button = targetOf(event).closest("[data-show-password]");
  if (button instanceof HTMLElement) toggle(button);
});

// Browsers keep what plain fields held when a form was sent.
for (const event of ["submit", "reset"]) {
  document.addEventListener(event, ({ target }) => {
    const buttons = findAll(/** @type {HTMLFormElement} */ (target), "[data-show-password]");
    for (const button of buttons.filter((one) => fieldOf(one).type === "text")) toggle(button);
  });
}

/** @param {HTMLElement} button */
function toggle(button) {
  const field = fieldOf(button);
  const words = find(button, "[data-words]");
  const shown = words.textContent ?? "";
  field.type = field.type === "password" ? "text" : "password";
  words.textContent = button.dataset.other ?? "";
  button.dataset.other = shown;
}

/** @param {HTMLElement} button */
const fieldOf = (button) => find(/** @type {HTMLElement} */ (button.parentElement), "input", HTMLInputElement);
