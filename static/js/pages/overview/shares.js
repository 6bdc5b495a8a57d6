// The tables by model, by client and by purpose: the sums of each and its share of all credits. A click filters by a row, or by none again.

import { labelOf, WITHOUT } from "../../shared/filter_names.js";
import { credits, share, whole } from "../../shared/formats.js";
import { colourOf } from "../../shared/model_colours.js";
import { fill, gettext } from "../../shared/i18n.js";
import { copyOf, find, findAll, focused } from "../../shared/page_elements.js";

const FIRST = { model: 10, client: 6, purpose: 6 };

/** @typedef {import("../../shared/filter_names.js").Dim} Dim */

/**
 * The table in a part of the page; `onPick(name)` gets the clicked name (`WITHOUT` for no name), or "" to show all again.
 * @param {HTMLElement} part
 * @param {Dim} dim
 * @param {(name: string) => void} onPick
 */
export function sharesOf(part, dim, onPick) {
  const body = find(part, "tbody");
  const more = find(part, "[data-more]");
  /** @type {DimItem[]} */
  let items = [];
  let chosen = "";
  let all = false;

  function draw() {
    const total = items.reduce((sum, item) => sum + item.credits, 0);
    const before = part.contains(document.activeElement) ? focused()?.textContent : null;
    body.replaceChildren(...(all ? items : items.slice(0, FIRST[dim])).map((item) => rowOf({ part, dim, chosen, onPick }, item, total)));
    more.hidden = all || items.length <= FIRST[dim];
    more.textContent = fill(gettext("Show all %(count)s"), { count: whole(items.length) });
    if (before) findAll(body, "button").find(({ textContent }) => textContent === before)?.focus();
  }

  more.addEventListener("click", () => { all = true; draw(); });
  document.addEventListener("archive:theme", draw);
  return {
    /** @type {(given: DimItem[], name: string) => void} */
    show: (given, name) => {
      items = given;
      chosen = name;
      draw();
    },
  };
}

/**
 * @param {{part: HTMLElement, dim: Dim, chosen: string, onPick: (name: string) => void}} table
 * @param {DimItem} item
 * @param {number} total
 */
function rowOf({ part, dim, chosen, onPick }, item, total) {
  const row = copyOf(find(part, "template", HTMLTemplateElement));
  const button = find(row, "button", HTMLButtonElement);
  const { name, credits: spent, calls, avg, free } = item;
  find(row, "[data-name]").textContent = labelOf(dim, name);
  button.title = name;
  const asked = name || WITHOUT;
  button.setAttribute("aria-pressed", String(asked === chosen));
  button.addEventListener("click", () => onPick(asked === chosen ? "" : asked));
  const bar = find(row, "[data-bar]");
  bar.style.width = total ? `${(spent / total) * 100}%` : "0";
  if (dim === "model") for (const node of [bar, find(row, ".dot")]) node.style.backgroundColor = colourOf(name);
  const texts = { share: share(spent, total), credits: credits(spent), calls: whole(calls), average: credits(avg), free: share(free, calls) };
  for (const [key, text] of Object.entries(texts)) find(row, `[data-${key}]`).textContent = text;
  return row;
}
