// A text that is shown once, to be copied: a token, or the secret of a webhook.

import { copyText } from "./clipboard.js";
import { gettext } from "./i18n.js";
import { find } from "./page_elements.js";

/**
 * Binds the buttons beside the text; gives a function that shows a text. `next` gets the focus once it is hidden.
 * @param {HTMLElement} given
 * @param {HTMLElement} next
 */
export function shownOnce(given, next) {
  const text = find(given, "input", HTMLInputElement);
  const copied = find(given, "[data-copied]");
  find(given, "[data-copy]").addEventListener("click", async () => {
    copied.textContent = (await copyText(text.value)) ? gettext("Copied.") : gettext("Copy it with the keyboard.");
    text.select();
  });
  find(given, "[data-hide]").addEventListener("click", () => {
    // It is in no other place of the page.
    text.value = "";
    given.hidden = true;
    next.focus();
  });
  return (/** @type {string} */ shown) => {
    text.value = shown;
    copied.textContent = "";
    given.hidden = false;
    text.focus();
    text.select();
  };
}
