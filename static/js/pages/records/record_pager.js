// Under the records: the pages before and after, the page by its number, and how many stand on one.

import { whole } from "../../shared/formats.js";
import { fill, gettext } from "../../shared/i18n.js";

const pager = document.querySelector(".record-pager");
const form = pager.querySelector(".record-page");
const { page: field } = form.elements;
const size = document.getElementById("size");

/** Wires the pager: `go(changes)` changes the address. */
export function bindPager(go) {
  pager.addEventListener("click", (event) => {
    const link = event.target.closest("a[href]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go({ page: new URL(link.href).searchParams.get("page") });
  });
  form.addEventListener("submit", (event) => { event.preventDefault(); goToTyped(go); });
  field.addEventListener("change", () => goToTyped(go));
  // Another size has other pages.
  size.addEventListener("change", () => go({ size: size.value, page: "" }));
}

function goToTyped(go) {
  const typed = Math.trunc(Number(field.value));
  if (!(typed >= 1)) return;
  field.value = Math.min(typed, Number(field.max));
  go({ page: field.value });
}

/** Shows where in its pages an answer is; `addressOf(page)` is where a page is found. */
export function showPager({ total, page, pages, size: number }, addressOf) {
  pager.hidden = total === 0;
  pager.querySelector(".record-turns").hidden = pages === 1;
  field.max = pages;
  field.value = page;
  size.value = number;
  pager.querySelector("[data-pages]").textContent = fill(gettext("of %(pages)s"), { pages: whole(pages) });
  const targets = { previous: page - 1, next: page < pages ? page + 1 : 0 };
  for (const [name, target] of Object.entries(targets)) {
    const link = pager.querySelector(`[data-to="${name}"]`);
    if (target) link.href = addressOf(target);
    else link.removeAttribute("href");
  }
}

export function hidePager() {
  pager.hidden = true;
}
