// The heat map of the week: mean credits by weekday and hour.

import { weekOf, weekdayNames } from "./day_groups.js";
import { credits } from "../shared/formats.js";
import { HeatMap } from "./heat_map.js";
import { fill, gettext } from "../shared/i18n.js";

const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, "0"));
const LEFT = 44;
const CELL = 28;
// Narrower cells have room for every third hour only.
const ROOM = 22;

/**
 * The map in a part of the page; `show(days, from, to)` draws it.
 * @param {HTMLElement} part
 */
export function hoursMap(part) {
  const names = weekdayNames();
  /** @type {Weekday[]} */
  let week = [];
  const map = new HeatMap(part, {
    values: () => week.flatMap(({ hours }) => hours),
    layout: (width) => layoutOf(week, names, width),
    tipOf: ({ weekday, hour, value }) => [
      fill(gettext("%(day)s, %(hour)s:00 to %(hour)s:59"), { day: names[weekday], hour: HOURS[hour] }),
      [{ name: gettext("Average credits"), value: credits(value) }],
    ],
    figures: () => ({
      head: [gettext("Weekday"), ...HOURS],
      rows: week.map(({ hours }, weekday) => ({ name: names[weekday], cells: hours.map(credits) })),
    }),
  });
  return {
    /** @type {(days: Day[], from: string, to: string) => void} */
    show: (days, from, to) => {
      week = weekOf(days, from, to);
      map.show(gettext("Heat map of average credits by weekday and hour; the table below shows the same values."));
    },
  };
}

/**
 * @param {Weekday[]} week
 * @param {string[]} names
 * @param {number} width
 * @returns {HeatLayout<{weekday: number, hour: number, value: number}>}
 */
function layoutOf(week, names, width) {
  const cell = (width - LEFT) / HOURS.length;
  const bottom = week.length * CELL;
  return {
    height: bottom + 20,
    cells: week.flatMap(({ hours }, weekday) => hours.map((value, hour) => (
      { x: LEFT + hour * cell, y: weekday * CELL, width: cell, height: CELL, value, of: { weekday, hour, value } }
    ))),
    labels: [
      ...names.map((text, weekday) => ({ x: LEFT - 8, y: weekday * CELL + CELL / 2 + 4, text, anchor: "end" })),
      ...HOURS.map((text, hour) => ({ x: LEFT + (hour + 0.5) * cell, y: bottom + 15, text, anchor: "middle" }))
        .filter((_, hour) => cell >= ROOM || hour % 3 === 0),
    ],
  };
}
