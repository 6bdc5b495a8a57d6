// The menu of a table: copy it, or keep it as CSV or JSON.

import { copyText } from "./clipboard.js";
import { gettext } from "./i18n.js";
import { find, targetOf } from "./page_elements.js";
import { csvOf, jsonOf, tabbedOf, textsIn } from "./table_texts.js";

/** @typedef {import("./table_texts.js").Cell} Cell */

/**
 * @param {HTMLElement} part The part of the page that holds menu and table.
 * @param {() => Cell[][]} given The rows, the head first; otherwise the table as it is shown.
 */
export function tableMenuIn(part, given = () => textsIn(find(part, "table", HTMLTableElement))) {
  // On the part, whose content may be replaced.
  part.addEventListener("click", async (event) => {
    const form = targetOf(event).closest("button")?.dataset.take;
    if (!form) return;
    const said = find(part, "[data-taken]");
    said.textContent = "";
    const rows = given();
    if (form === "csv") save(csvOf(rows), "text/csv", `${nameOf(part)}.csv`);
    else if (form === "json") save(jsonOf(rows), "application/json", `${nameOf(part)}.json`);
    else said.textContent = (await copyText(tabbedOf(rows))) ? gettext("Copied.") : gettext("The browser did not allow copying.");
  });
}

/** @param {HTMLElement} part */
function nameOf(part) {
  const section = part.closest("section");
  const title = section?.querySelector("h2, h3")?.textContent ?? section?.getAttribute("aria-label") ?? "";
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
