// The part of the overview that shows the month to date; it does not depend on the period.

import { MonthChart, forecastWords } from "../../charts/month_chart.js";
import { monthSoFar } from "../../charts/month_forecast.js";
import { find } from "../../shared/page_elements.js";

/**
 * The chart in a part of the page; `show(days, today, first)` draws it, or hides the part without calls in both months.
 * @param {HTMLElement} part
 */
export function monthPart(part) {
  const chart = new MonthChart(part);
  return {
    /** @type {(days: Day[], today: string, first: string | undefined) => void} */
    show: (days, today, first) => {
      const month = monthSoFar(days, today, first);
      part.hidden = !month;
      if (!month) return;
      find(part, "[data-forecast]").textContent = forecastWords(month);
      find(part, "[data-range]").hidden = !month.forecast;
      chart.show(month);
    },
  };
}
