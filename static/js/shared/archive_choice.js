// The choice of the archive that the pages show, where the account has several. It is kept in a cookie of the browser; the tab in
// hand decides, so that two tabs with two archives stay with theirs.

import { at } from "./addresses.js";
import { isArchiveKept, keepArchive } from "./browser_choice.js";
import { ownArchive } from "./own_archive.js";
import { find, targetOf } from "./page_elements.js";
import { bindPopMenu } from "./pop_menu.js";

// Of the shown archive alone: its page of the list, its records, and its runs.
const OF_ONE = ["archive", "page", "record"];
// Where the choice stands, and what is before it there.
const PARTS = [["details.archives-menu", "nav.pages"], [".own-archive", "#own-name"], [".menu-archives", "nav.menu-pages"]];
const RUN = new RegExp(`^${at("/runs")}/`);

const menu = () => document.querySelector("details.archives-menu");

for (const name of ["focus", "pageshow"]) window.addEventListener(name, hold);
document.addEventListener("visibilitychange", hold);
// Another tab may have loaded since this one came to the front.
for (const name of ["click", "submit"]) document.addEventListener(name, hold, true);
document.addEventListener("click", choose);
bindMenu();
hold();

function bindMenu() {
  const found = menu();
  if (found instanceof HTMLDetailsElement) bindPopMenu(found);
}

/** Keeps the archive of this tab. Where the account has one alone, an earlier choice would only cost the server a query. */
function hold() {
  if (!document.hidden && (menu() || isArchiveKept())) keepArchive(ownArchive());
}

/**
 * Shows the archives that another reading of this page has.
 * @param {Document} page
 */
export function renewArchiveChoice(page) {
  for (const [part, before] of PARTS) {
    document.querySelector(part)?.remove();
    const fresh = page.querySelector(part);
    if (fresh) find(document, before).after(fresh);
  }
  bindMenu();
}

/**
 * Shows this page for the archive of a link. A link that is opened elsewhere names it in its address.
 * @param {MouseEvent} event
 */
function choose(event) {
  const link = targetOf(event).closest("a[data-archive-choice]");
  if (!(link instanceof HTMLAnchorElement) || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const query = new URLSearchParams(location.search);
  for (const name of OF_ONE) query.delete(name);
  const id = link.dataset.archiveChoice ?? "";
  keepArchive(id === document.documentElement.dataset.account ? "" : id);
  const path = RUN.test(location.pathname) ? at("/runs") : location.pathname;
  location.assign(String(query) ? `${path}?${query}` : path);
}
