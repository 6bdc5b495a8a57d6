// When in the week credits are spent: the mean of each hour of each weekday.

import { nameAxis } from "archive/charts";
import { weekOf, weekdayNames } from "archive/days";
import { credits } from "archive/formats";
import { HeatMap } from "archive/heat";
import { fill, gettext } from "archive/words";

const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, "0"));
const GRID = { left: 46, right: 6, top: 2, bottom: 24, outerBoundsMode: "none" };

/** The map in a part of the page; `show(days, from, to)` draws it. */
export function hoursMap(part) {
  const names = weekdayNames();
  let week = [];
  const map = new HeatMap(part, {
    cells: () => week.flatMap(({ hours }, weekday) => hours.map((value, hour) => [hour, weekday, value])),
    optionOf: (colour, _, series) => ({
      grid: GRID,
      xAxis: { ...nameAxis(colour, HOURS), axisLine: { show: false } },
      yAxis: { ...nameAxis(colour, names), axisLine: { show: false }, inverse: true },
      series: [series],
    }),
    tipOf: ([hour, weekday, value]) => [
      fill(gettext("%(day)s, %(hour)s:00 to %(hour)s:59"), { day: names[weekday], hour: HOURS[hour] }),
      [{ name: gettext("Credits on average"), value: credits(value) }],
    ],
    figures: () => ({
      head: [gettext("Weekday"), ...HOURS],
      rows: week.map(({ hours }, weekday) => ({ name: names[weekday], cells: hours.map(credits) })),
    }),
  });
  return {
    show: (days, from, to) => {
      week = weekOf(days, from, to);
      return map.show(gettext("Mean credits by weekday and hour, as colours; the same as a table is below."));
    },
  };
}
