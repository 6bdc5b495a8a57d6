// The menu of a table: copy it, or keep it as CSV or JSON, as it is shown.

import { copyText } from "../shared/clipboard.js";
import { gettext } from "../shared/i18n.js";
import { find, targetOf } from "../shared/page_elements.js";
import { csvOf, jsonOf, tabbedOf, textsIn } from "./table_texts.js";

/**
 * @param {HTMLElement} part The part of the page that holds menu and table.
 */
export function tableMenuIn(part) {
  find(part, "[data-table-menu]").addEventListener("click", async (event) => {
    const form = targetOf(event).closest("button")?.dataset.take;
    if (!form) return;
    const said = find(part, "[data-taken]");
    said.textContent = "";
    const rows = textsIn(find(part, "table", HTMLTableElement));
    if (form === "csv") save(csvOf(rows), "text/csv", `${nameOf(part)}.csv`);
    else if (form === "json") save(jsonOf(rows), "application/json", `${nameOf(part)}.json`);
    else said.textContent = (await copyText(tabbedOf(rows))) ? gettext("Copied.") : gettext("The browser did not allow copying.");
  });
}

/** @param {HTMLElement} part */
function nameOf(part) {
  const title = part.closest("section")?.querySelector("h2, h3")?.textContent ?? "";
  return ["usage", ...title.toLowerCase().split(/[^\p{L}\p{N}]+/u)].filter(Boolean).join("-");
}

/**
 * @param {string} text
 * @param {string} type
 * @param {string} name
 */
function save(text, type, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type }));
  link.download = name;
  link.click();
  // The browser has taken the file over by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
