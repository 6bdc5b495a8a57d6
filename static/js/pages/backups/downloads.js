// The links to backups, where the instance asks for the password again: the page asks before it follows one.

import { mayFollow } from "../../shared/api.js";
import { targetOf } from "../../shared/page_elements.js";

/**
 * @param {HTMLElement} shelf
 * @param {HTMLElement} said Shows why a link could not be followed.
 */
export function bindDownloads(shelf, said) {
  if (!("asks" in shelf.dataset)) return;
  shelf.addEventListener("click", (event) => {
    const link = targetOf(event).closest("a[data-download]");
    // The second click comes from `follow`; with a key the link opens elsewhere, where the server shows a form.
    if (!(link instanceof HTMLAnchorElement) || "allowed" in link.dataset || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    follow(link, said);
  });
}

/**
 * @param {HTMLAnchorElement} link
 * @param {HTMLElement} said
 */
async function follow(link, said) {
  try {
    if (!(await mayFollow(link.href))) return;
    link.dataset.allowed = "";
    link.click();
  } catch (error) {
    said.textContent = error.message;
  } finally {
    delete link.dataset.allowed;
  }
}
