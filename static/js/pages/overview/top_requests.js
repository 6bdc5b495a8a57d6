// The calls that cost most; each leads to its record among the others of the same filters.

import { credits, excerpt, minutes } from "../../shared/formats.js";
import { queryOf } from "../../shared/filters.js";
import { colourOf } from "../../shared/model_colours.js";
import { gettext } from "../../shared/i18n.js";

const CUT = 120;

/** Shows an answer of /api/top. */
export function showTop(part, items, state) {
  const template = part.querySelector("template");
  part.querySelector("ol").replaceChildren(...items.map((item) => rowOf(template, item, state)));
  part.querySelector("[data-all]").href = addressOf(state);
}

document.addEventListener("archive:theme", () => {
  for (const dot of document.querySelectorAll("[data-part=top] .dot")) dot.style.backgroundColor = colourOf(dot.dataset.colour);
});

function rowOf(template, { id, c: spent, m: model, cl: client, t: time, px: prompt }, state) {
  const row = template.content.cloneNode(true).firstElementChild;
  const put = (name, text) => { row.querySelector(`[data-${name}]`).textContent = text; };
  const link = row.querySelector("a");
  link.href = addressOf(state, id);
  // The API cuts there.
  const more = [...(prompt ?? "")].length === CUT ? "…" : "";
  link.textContent = prompt ? excerpt(prompt) + more : gettext("no prompt");
  const dot = row.querySelector(".dot");
  dot.dataset.colour = model;
  dot.style.backgroundColor = colourOf(model);
  put("model", model || gettext("no model"));
  put("client", client || gettext("no client"));
  put("time", minutes(time));
  put("credits", credits(spent));
  return row;
}

/** The records of the same filters by credits, with one of them open. */
function addressOf(state, id) {
  const query = queryOf(state, {});
  query.set("order", "credits_desc");
  if (id) query.set("record", id);
  return `/records?${query}`;
}
