// The line that says which calls of a list were erased: templates/erased_line.html.

import { findAll } from "./page_elements.js";

/**
 * Shows it for a list whose days begin before those that are kept; of an archive that keeps all, there is none.
 * @param {HTMLElement} part
 * @param {Span} span
 */
export function showErased(part, { from }) {
  for (const line of findAll(part, "[data-erased-before]")) line.hidden = Boolean(from) && (from ?? "") >= (line.dataset.erasedBefore ?? "");
}
