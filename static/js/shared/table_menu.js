// The menu of a table: copy it, or keep it as CSV or JSON.

import { gettext } from "./i18n.js";
import { find, targetOf } from "./page_elements.js";

/** @typedef {import("./table_texts.js").Cell} Cell */

/**
 * @param {HTMLElement} part The part of the page that holds menu and table.
 * @param {() => Cell[][]} [given] The rows, the head first; otherwise the table as it is shown.
 */
export function tableMenuIn(part, given) {
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
    const rows = given ? given() : script.textsIn(find(part, "table", HTMLTableElement));
    said.textContent = await script.take(form, rows, nameOf(part));
  });
}

/** @param {HTMLElement} part */
function nameOf(part) {
  const section = part.closest("section");
  const title = section?.querySelector("h2, h3")?.textContent ?? section?.getAttribute("aria-label") ?? "";
  return ["usage", ...title.toLowerCase().split(/[^\p{L}\p{N}]+/u)].filter(Boolean).join("-");
}
