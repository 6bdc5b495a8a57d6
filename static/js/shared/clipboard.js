// Copying texts, also where the browser has no clipboard API.

import { focused } from "./page_elements.js";

/**
 * Whether the text could be copied. `place` is in the open dialog, if there is one.
 * @param {string} text
 * @param {HTMLElement} [place]
 */
export async function copyText(text, place = document.body) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without HTTPS there is no clipboard API; execCommand needs a selection inside the dialog.
    return copySelected(text, place);
  }
}

/**
 * @param {string} text
 * @param {HTMLElement} place
 */
function copySelected(text, place) {
  const before = focused();
  const field = document.createElement("textarea");
  field.className = "unseen";
  field.value = text;
  place.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  before?.focus();
  return done;
}
