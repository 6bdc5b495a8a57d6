// The most expensive calls; each links to its record in the list with the same filters.

import { at } from "../../shared/addresses.js";
import { credits, excerpt, minutes } from "../../shared/formats.js";
import { queryOf } from "../../shared/periods.js";
import { colourOf } from "../../shared/model_colours.js";
import { gettext } from "../../shared/i18n.js";
import { copyOf, find, findAll } from "../../shared/page_elements.js";
import { tableMenuIn } from "../../shared/table_menu.js";

const CUT = 120;
/** @type {TopCall[]} */
let shown = [];

/**
 * Shows an answer of /api/top.
 * @param {HTMLElement} part
 * @param {TopCall[]} items
 * @param {State} state
 */
export function showTop(part, items, state) {
  shown = items;
  const template = find(part, "template", HTMLTemplateElement);
  find(part, "ol").replaceChildren(...items.map((item) => rowOf(template, item, state)));
  find(part, "[data-all]", HTMLAnchorElement).href = addressOf(state);
}

tableMenuIn(find(document, "[data-part=top]"), () => [
  [gettext("Time"), gettext("Model"), gettext("Client"), gettext("Credits"), gettext("Prompt"), gettext("Request id")],
  ...shown.map(({ id, c, m, cl, t, px }) => [t, m, cl, c, px, id]),
]);

document.addEventListener("archive:theme", () => {
  for (const dot of findAll(document, "[data-part=top] .dot")) dot.style.backgroundColor = colourOf(dot.dataset.colour ?? "");
});

/**
 * @param {HTMLTemplateElement} template
 * @param {TopCall} call
 * @param {State} state
 */
function rowOf(template, { id, c: spent, m: model, cl: client, t: time, px: prompt }, state) {
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
  put("time", minutes(time));
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
