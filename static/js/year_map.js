// The credits of each day of the last twelve months, as a calendar; a click leads to its day.

import { longName, monthNames, weekdayNames, yearUntil } from "archive/days";
import { credits, dayFrom } from "archive/formats";
import { HeatMap } from "archive/heat";
import { gettext } from "archive/words";

const NARROW = 600;
const WIDE_CELL = 18;
const NARROW_CELL = 13;
const HEAD = 22;

/** The map in a part of the page; `show(days, today)` draws it, and `onSpan(from, to)` is told of a click. */
export function yearMap(part, onSpan) {
  let known = [];
  let year = {};
  const named = (day) => longName({ from: day, to: day });
  const map = new HeatMap(part, {
    cells: () => known,
    optionOf: (colour, width, series) => {
      const narrow = width < NARROW;
      const ranges = narrow ? halves(year) : [[year.from, year.to]];
      return {
        calendar: ranges.map((range, place) => calendar(colour, range, place, narrow ? NARROW_CELL : WIDE_CELL)),
        series: ranges.map(([from, to], calendarIndex) => (
          { ...series, data: known.filter(([day]) => day >= from && day <= to), coordinateSystem: "calendar", calendarIndex }
        )),
      };
    },
    tipOf: ([day, value]) => [named(day), [{ name: gettext("Credits"), value: credits(value) }]],
    pick: ([day]) => onSpan(day, day),
    figures: () => ({
      head: [gettext("Day"), gettext("Credits")],
      rows: known.map(([day, value]) => ({ name: named(day), pick: () => onSpan(day, day), cells: [credits(value)] })),
    }),
  });
  return {
    show: (days, today) => {
      year = yearUntil(today);
      known = days.filter(({ d }) => d >= year.from && d <= year.to).map(({ d, c }) => [d, c]);
      return map.show(gettext("Credits of each day of the last twelve months, as colours; the same as a table is below."));
    },
  };
}

/** One below the other where the days of a year would be too small to point at. */
function halves({ from, to }) {
  const middle = dayFrom(from, 27 * 7);
  return [[from, dayFrom(middle, -1)], [middle, to]];
}

function calendar(colour, range, place, cell) {
  const label = { color: colour("soft"), fontSize: 11 };
  const names = weekdayNames();
  return {
    range, left: 36, right: 4, top: HEAD + place * (7 * cell + HEAD + 4), cellSize: ["auto", cell],
    splitLine: { lineStyle: { color: colour("field-line"), width: 1 } },
    itemStyle: { color: colour("heat-0"), borderColor: colour("card"), borderWidth: 2 },
    dayLabel: { ...label, firstDay: 1, nameMap: [names[6], ...names.slice(0, 6)] },
    monthLabel: { ...label, nameMap: monthNames() },
    yearLabel: { show: false },
  };
}
