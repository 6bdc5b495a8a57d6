// The menu of a table or of its card: copy the table, keep it as CSV or JSON, or show that of a chart.

import { gettext } from "./i18n.js";
import { find, findAll, targetOf } from "./page_elements.js";
import { bindPopMenu, leaveMenuOf } from "./pop_menu.js";

/** @typedef {import("./table_texts.js").Cell} Cell */

/**
 * @param {HTMLElement} part The part of the page that holds menu and table.
 * @param {(script: typeof import("./table_taking.js")) => Cell[][]} [given] The rows, the head first, with the values of the API; otherwise the table as it is shown.
 */
export function tableMenuIn(part, given) {
  for (const menu of findAll(part, ".card-menu", HTMLDetailsElement)) bindCardMenu(menu, part);
  // On the part, whose content may be replaced.
  part.addEventListener("click", async (event) => {
    const form = targetOf(event).closest("button")?.dataset.take;
    if (!form) return;
    const said = find(part, "[data-taken]");
    said.textContent = "";
    const script = await import("./table_taking.js").catch(() => null);
    if (!script) {
      said.textContent = gettext("The server cannot be reached.");
      return;
    }
    const rows = given ? given(script) : script.valuesIn(find(part, "table", HTMLTableElement));
    said.textContent = await script.take(form, rows, nameOf(part));
  });
}

/**
 * The menu of a card closes after a choice.
 * @param {HTMLDetailsElement} menu
 * @param {HTMLElement} part
 */
function bindCardMenu(menu, part) {
  bindPopMenu(menu);
  menu.addEventListener("click", (event) => {
    const button = targetOf(event).closest("button");
    if (!button) return;
    leaveMenuOf(button);
    if (!("openTable" in button.dataset)) return;
    const table = find(part, ".as-table", HTMLDetailsElement);
    table.open = true;
    find(table, "summary").focus();
  });
}

/** @param {HTMLElement} part */
function nameOf(part) {
  const section = part.closest("section");
  const title = section?.querySelector("h2, h3")?.textContent ?? section?.getAttribute("aria-label") ?? "";
  return ["usage", ...title.toLowerCase().split(/[^\p{L}\p{N}]+/u)].filter(Boolean).join("-");
}
