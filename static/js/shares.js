// By model, by client: the sums of each with its share of all credits; a click shows only that one, or all again.

import { WITHOUT } from "archive/filters";
import { credits, share, whole } from "archive/formats";
import { colourOf } from "archive/models";
import { fill, gettext } from "archive/words";

const FIRST = { model: 10, client: 6 };

/** The table in a part of the page for "model" or "client"; `onPick(name)` gets the one clicked (`WITHOUT` for no name), "" for all again. */
export function sharesOf(part, dim, onPick) {
  const body = part.querySelector("tbody");
  const more = part.querySelector("[data-more]");
  let items = [];
  let chosen = "";
  let all = false;

  function rowFor(item, total) {
    const row = part.querySelector("template").content.cloneNode(true).firstElementChild;
    const button = row.querySelector("button");
    const { name, credits: spent, calls, avg, free } = item;
    const asked = name || WITHOUT;
    row.querySelector("[data-name]").textContent = name || (dim === "model" ? gettext("no model") : gettext("no client"));
    button.title = name;
    button.setAttribute("aria-pressed", String(asked === chosen));
    button.addEventListener("click", () => onPick(asked === chosen ? "" : asked));
    const bar = row.querySelector("[data-bar]");
    bar.style.width = total ? `${(spent / total) * 100}%` : "0";
    if (dim === "model") for (const node of [bar, row.querySelector(".dot")]) node.style.backgroundColor = colourOf(name);
    const texts = { share: share(spent, total), credits: credits(spent), calls: whole(calls), average: credits(avg), free: share(free, calls) };
    for (const [key, text] of Object.entries(texts)) row.querySelector(`[data-${key}]`).textContent = text;
    return row;
  }

  function draw() {
    const total = items.reduce((sum, item) => sum + item.credits, 0);
    const focused = part.contains(document.activeElement) ? document.activeElement.textContent : null;
    body.replaceChildren(...(all ? items : items.slice(0, FIRST[dim])).map((item) => rowFor(item, total)));
    more.hidden = all || items.length <= FIRST[dim];
    more.textContent = fill(gettext("Show all %(count)s"), { count: whole(items.length) });
    if (focused) [...body.querySelectorAll("button")].find(({ textContent }) => textContent === focused)?.focus();
  }

  more.addEventListener("click", () => { all = true; draw(); });
  document.addEventListener("archive:theme", draw);
  return {
    show: (given, name) => {
      items = given;
      chosen = name;
      draw();
    },
  };
}
