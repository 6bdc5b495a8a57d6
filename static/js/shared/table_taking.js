// What the menu of a table does: copy the table, or keep it as CSV or JSON. Loaded when the menu is first used.

import { copyText } from "./clipboard.js";
import { gettext } from "./i18n.js";
import { csvOf, jsonOf, tabbedOf } from "./table_texts.js";

export { valuesIn, valuesOf } from "./table_texts.js";

/** @typedef {import("./table_texts.js").Cell} Cell */

/**
 * Copies or saves the rows; what is to be said about it.
 * @param {string} form "copy", "csv" or "json"
 * @param {Cell[][]} rows
 * @param {string} name The file's name without its ending.
 */
export async function take(form, rows, name) {
  if (form === "csv") save(csvOf(rows), "text/csv", `${name}.csv`);
  else if (form === "json") save(jsonOf(rows), "application/json", `${name}.json`);
  else return (await copyText(tabbedOf(rows))) ? gettext("Copied.") : gettext("The browser did not allow copying.");
  return "";
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
