// The filters in words: on the button of the period, in the title of the tab, and in a line that is printed with the page.

import { DIMS, labelOf } from "./filter_names.js";
import { spanWords } from "./formats.js";
import { fill, gettext } from "./i18n.js";
import { find } from "./page_elements.js";
import { nameOfPeriod } from "./periods.js";

const [PAGE, SITE] = [document.title.split(" · ")[0], document.title.split(" · ").at(-1)];
/** @type {Record<import("./filter_names.js").Dim, string>} */
const HEADS = { model: gettext("Model"), client: gettext("Client"), purpose: gettext("Purpose") };

/**
 * Writes the filters that hold onto the button of the period, into the title of the tab and into the line for print.
 * @param {HTMLFormElement} form
 * @param {State} state
 * @param {Span} span
 */
export function sayFilters(form, state, span) {
  const chosen = DIMS.filter((dim) => state[dim]);
  const search = new URLSearchParams(location.search).get("q") ?? "";
  const days = daysWords(span);
  const period = nameOfPeriod(form, state.period) || days;
  find(form, "[data-period-name]").textContent = period;
  const quoted = search && fill(gettext("“%(text)s”"), { text: search });
  document.title = [PAGE, period, ...chosen.map((dim) => labelOf(dim, state[dim])), quoted, SITE].filter(Boolean).join(" · ");
  const line = document.querySelector("[data-filters-words]");
  if (!line) return;
  const names = chosen.map((dim) => fill(gettext("%(name)s: %(value)s"), { name: HEADS[dim], value: labelOf(dim, state[dim]) }));
  const text = quoted && fill(gettext("%(name)s: %(value)s"), { name: gettext("Search"), value: quoted });
  line.textContent = [period, period === days ? "" : days, ...names, text].filter(Boolean).join(" · ");
}

/** @param {Span} span */
function daysWords({ from, to }) {
  if (from && to) return spanWords(from, to);
  if (from) return fill(gettext("from %(day)s"), { day: from });
  return to ? fill(gettext("until %(day)s"), { day: to }) : "";
}
