// The part of the overview that shows the month to date; it does not depend on the period.

import { MonthChart, forecastWords, unknownItems } from "../../charts/month_chart.js";
import { monthSoFar } from "../../charts/month_sums.js";
import { gettext } from "../../shared/i18n.js";
import { find } from "../../shared/page_elements.js";

/** @typedef {import("../../charts/ledger_days.js").Ledger} Ledger */

/**
 * The chart in a part of the page; `show(days, today, asked)` draws it, or hides the part without calls in both months.
 * @param {HTMLElement} part
 */
export function monthPart(part) {
  const chart = new MonthChart(part);
  const method = find(part, "[data-method]");
  method.addEventListener("keydown", ({ key }) => { if (key === "Escape") method.blur(); });
  return {
    /** @type {(days: Day[], today: string, asked: {forecast: Forecast | null, isNarrowed: boolean, ledger: Ledger | undefined}) => void} */
    show: (days, today, { forecast, isNarrowed, ledger }) => {
      // The forecast is of all calls.
      const month = monthSoFar(days, today, isNarrowed ? null : forecast, (day) => Boolean(ledger?.unknown(day)));
      part.hidden = !month;
      if (!month) return;
      find(part, "[data-forecast]").textContent = isNarrowed ? gettext("The forecast is of all calls.") : forecast && forecastWords(month);
      find(part, "[data-range]").hidden = !month.forecast;
      method.hidden = !month.forecast;
      find(part, "[data-unknown]").replaceChildren(...unknownItems(month));
      chart.show(month);
    },
  };
}
