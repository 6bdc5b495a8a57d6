// The most expensive calls; each links to its record in the list with the same filters.

import { at } from "../../shared/addresses.js";
import { credits, excerpt, minutes, whole } from "../../shared/formats.js";
import { queryOf } from "../../shared/periods.js";
import { colourOf } from "../../shared/model_colours.js";
import { fill, gettext } from "../../shared/i18n.js";
import { copyOf, find, findAll, isPhone } from "../../shared/page_elements.js";
import { tableMenuIn } from "../../shared/table_menu.js";

const CUT = 120;
const FIRST = isPhone() ? 3 : 5;
const part = find(document, "[data-part=top]");
const list = find(part, "ol");
const more = find(part, "[data-more]");
/** @type {TopCall[]} */
let shown = [];
let isAll = false;

/**
 * Shows an answer of /api/top: the first calls, and a button for all.
 * @param {TopCall[]} items
 * @param {State} state
 * @param {string} today
 */
export function showTop(items, state, today) {
  shown = items;
  const template = find(part, "template", HTMLTemplateElement);
  list.replaceChildren(...items.map((item) => rowOf(template, item, state, today)));
  showRows();
  more.textContent = fill(gettext("Show all %(count)s"), { count: whole(items.length) });
  find(part, "[data-all]", HTMLAnchorElement).href = addressOf(state);
  find(part, "[data-repeated]", HTMLAnchorElement).href = at(`/repeated?${queryOf(state)}`);
}

more.addEventListener("click", () => {
  isAll = true;
  showRows();
  findAll(list, "a")[FIRST].focus();
});

function showRows() {
  for (const row of findAll(list, "li").slice(FIRST)) row.hidden = !isAll;
  more.hidden = isAll || shown.length <= FIRST;
}

tableMenuIn(part, () => [
  [gettext("Time"), gettext("Model"), gettext("Client"), gettext("%(Unit)s"), gettext("Prompt"), gettext("Request id")],
  ...shown.map(({ id, c, m, cl, t, px }) => [t, m, cl, c, px, id]),
]);

document.addEventListener("archive:theme", () => {
  for (const dot of findAll(list, ".dot")) dot.style.backgroundColor = colourOf(dot.dataset.colour ?? "");
});

/**
 * @param {HTMLTemplateElement} template
 * @param {TopCall} call
 * @param {State} state
 * @param {string} today
 */
function rowOf(template, { id, c: spent, m: model, cl: client, t: time, px: prompt }, state, today) {
  const row = copyOf(template);
  const put = (/** @type {string} */ name, /** @type {string} */ text) => { find(row, `[data-${name}]`).textContent = text; };
  const link = find(row, "a", HTMLAnchorElement);
  link.href = addressOf(state, id);
  // The API cuts prompts at this length.
  const more = [...(prompt ?? "")].length === CUT ? "…" : "";
  link.textContent = prompt ? excerpt(prompt) + more : gettext("no prompt");
  const dot = find(row, ".dot");
  dot.dataset.colour = model;
  dot.style.backgroundColor = colourOf(model);
  put("model", model || gettext("no model"));
  put("client", client || gettext("no client"));
  // The year is said where it is another one.
  put("time", minutes(time).slice(time.startsWith(today.slice(0, 5)) ? 5 : 0));
  put("credits", credits(spent));
  return row;
}

/**
 * The address of the records with the same filters, sorted by credits, with one of them open.
 * @param {State} state
 * @param {string} [id]
 */
function addressOf(state, id) {
  const query = queryOf(state);
  query.set("order", "credits_desc");
  if (id) query.set("record", id);
  return at(`/records?${query}`);
}
