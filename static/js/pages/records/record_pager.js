// The pager below the records: previous and next page, the page by its number, and the records per page.

import { whole } from "../../shared/formats.js";
import { fill, gettext } from "../../shared/i18n.js";
import { byId, fieldOf, find, targetOf } from "../../shared/page_elements.js";

const pager = find(document, ".record-pager");
const form = find(pager, ".record-page", HTMLFormElement);
const field = fieldOf(form, "page");
const size = byId("size", HTMLSelectElement);

/**
 * Wires the pager: `go(changes)` changes the address.
 * @param {Go} go
 */
export function bindPager(go) {
  pager.addEventListener("click", (event) => {
    const link = targetOf(event).closest("a[href]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go({ page: new URL(/** @type {HTMLAnchorElement} */ (link).href).searchParams.get("page") });
  });
  form.addEventListener("submit", (event) => { event.preventDefault(); goToTyped(go); });
  field.addEventListener("change", () => goToTyped(go));
  // Another size has other pages: start at the first one.
  size.addEventListener("change", () => go({ size: size.value, page: "" }));
}

/** @param {Go} go */
function goToTyped(go) {
  const typed = Math.trunc(Number(field.value));
  if (!(typed >= 1)) return;
  field.value = String(Math.min(typed, Number(field.max)));
  go({ page: field.value });
}

/**
 * Shows the page of an answer; `addressOf(page)` is the address of a page.
 * @param {Omit<Paged<unknown>, "items">} answer
 * @param {(page: number) => string} addressOf
 */
export function showPager({ total, page, pages, size: number }, addressOf) {
  pager.hidden = total === 0;
  find(pager, ".record-turns").hidden = pages === 1;
  field.max = String(pages);
  field.value = String(page);
  size.value = String(number);
  find(pager, "[data-pages]").textContent = fill(gettext("of %(pages)s"), { pages: whole(pages) });
  const targets = { previous: page - 1, next: page < pages ? page + 1 : 0 };
  for (const [name, target] of Object.entries(targets)) {
    const link = find(pager, `[data-to="${name}"]`, HTMLAnchorElement);
    if (target) link.href = addressOf(target);
    else link.removeAttribute("href");
  }
}

export function hidePager() {
  pager.hidden = true;
}
