// Search as you type: after a short rest, one request at a time, and the last text wins.

import { fieldOf } from "../../shared/page_elements.js";

// Milliseconds without a keystroke before a search.
const REST = 250;

/**
 * Wires the form of the search.
 * @param {HTMLFormElement} form
 * @param {{search: (text: string, how: {typed: boolean, replace: boolean}) => Promise<void>, searched: () => string}} acts
 *   `search` shows the records with a text in their prompts, `searched` gives the text of the records that are shown.
 */
export function bindLiveSearch(form, { search, searched }) {
  const field = fieldOf(form, "q");
  /** @type {number | undefined} */
  let resting;
  let running = false;
  // The first text that is typed gets an entry in the history; those that follow replace it.
  let isFirst = true;

  async function look() {
    if (running) return;
    running = true;
    while (field.value !== searched()) {
      await search(field.value, { typed: true, replace: !isFirst });
      isFirst = false;
    }
    running = false;
  }

  field.addEventListener("input", (event) => {
    clearTimeout(resting);
    // The text of an unfinished composition, of Pinyin for instance, is no search.
    if (!(/** @type {InputEvent} */ (event).isComposing)) resting = setTimeout(look, REST);
  });
  field.addEventListener("compositionend", () => { clearTimeout(resting); resting = setTimeout(look, REST); });
  field.addEventListener("blur", () => { isFirst = true; });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    clearTimeout(resting);
    search(field.value, { typed: false, replace: !isFirst });
    isFirst = true;
  });
}
