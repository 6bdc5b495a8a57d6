// The menu Export: the records of all pages or of the shown one, as a file or copied.

import { at } from "../../shared/addresses.js";
import { tokensOf } from "./record_list.js";
import { whole } from "../../shared/formats.js";
import { fill, gettext, ngettext } from "../../shared/i18n.js";
import { named } from "../../shared/own_archive.js";
import { byId, fieldOf, find, findAll } from "../../shared/page_elements.js";
import { bindPopMenu } from "../../shared/pop_menu.js";
import { queryFrom } from "../../shared/query.js";

// The places of the purpose and the tokens among the columns of the list.
const [PURPOSE, TOKENS] = [3, 5];
const menu = byId("export", HTMLDetailsElement);
const form = find(menu, "form", HTMLFormElement);
const file = find(menu, "[data-save]", HTMLAnchorElement);
const copy = find(menu, "[data-copy]");
const said = find(menu, "[data-copied]");
/** @type {{answer: Paged<ListedRecord>, params: ManyParams} | null} */
let shown = null;

bindPopMenu(menu);
form.addEventListener("change", offer);
form.addEventListener("submit", (event) => event.preventDefault());
copy.addEventListener("click", copyPage);

/**
 * Offers the records of an answer, and all that its filters find.
 * @param {Paged<ListedRecord>} answer
 * @param {ManyParams} params The filters and the order.
 */
export function showExport(answer, params) {
  menu.hidden = answer.total === 0;
  shown = { answer, params };
  offer();
}

/** Takes the file away, which would not be of the shown records. */
export function dropExport() {
  shown = null;
  offer();
}

export function hideExport() {
  menu.hidden = true;
  dropExport();
}

const isChosen = (/** @type {string} */ name, value = "1") => new FormData(form).get(name) === value;

function offer() {
  const ofPage = isChosen("which", "page");
  said.textContent = "";
  copy.hidden = !ofPage;
  if (!shown) {
    file.removeAttribute("href");
    return;
  }
  const { answer, params } = shown;
  const count = ofPage ? answer.items.length : answer.total;
  file.textContent = fill(ngettext("Export %(count)s record", "Export %(count)s records", count), { count: whole(count) });
  file.href = at(named(addressOf(params, ofPage ? answer : null)));
  // The server names the file of all records.
  file.download = ofPage ? `usage-records-${answer.page}.${fieldOf(form, "format", HTMLSelectElement).value}` : "";
}

/**
 * The address of the file: of all records that the filters find, or of one page of them.
 * @param {ManyParams} params
 * @param {Paged<ListedRecord> | null} page
 */
function addressOf(params, page) {
  const query = queryFrom({ ...params, ...page && { page: String(page.page), size: String(page.size) } });
  query.set("format", fieldOf(form, "format", HTMLSelectElement).value);
  if (isChosen("purpose")) query.set("columns", "purpose");
  // The header of CSV is Chinese if no language is named.
  if (!document.documentElement.lang.startsWith("zh")) query.set("lang", "en");
  return `${page ? "/api/records" : "/records/export"}?${query}`;
}

async function copyPage() {
  if (!shown) return;
  said.textContent = "";
  const script = await import("../../shared/table_taking.js").catch(() => null);
  said.textContent = script ? await script.take("copy", rowsOf(shown.answer.items), "") : gettext("The server cannot be reached.");
}

/**
 * The records as a table, the head first.
 * @param {ListedRecord[]} records
 */
function rowsOf(records) {
  const without = [isChosen("purpose") ? -1 : PURPOSE, records.some(({ tokens }) => tokens) ? -1 : TOKENS];
  const heads = findAll(document, ".record-table thead th").map(({ textContent }) => textContent?.trim() ?? "");
  const rows = records.map(({ ts, model, client, agent_purpose: purpose, credits, tokens, prompt }) => [ts, model, client, purpose, credits, tokens ? tokensOf(tokens) : "", prompt ?? ""]);
  return [heads, ...rows].map((row) => row.filter((_, across) => !without.includes(across)));
}
