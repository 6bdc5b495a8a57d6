// The heat map of the week: mean credits by weekday and hour. A cell leads to the calls of its hour on the day with the most.

import { exactCell } from "./chart_table.js";
import { weekOf, weekdayNames, weekdayOf } from "./day_groups.js";
import { credits } from "../shared/formats.js";
import { HeatMap } from "./heat_map.js";
import { unknownWords } from "./ledger_days.js";
import { unknownLegend } from "./state_marks.js";
import { fill, gettext } from "../shared/i18n.js";
import { find } from "../shared/page_elements.js";

/** @typedef {import("./ledger_days.js").Ledger} Ledger */

const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, "0"));
const LEFT = 44;
const CELL = 28;
// Narrower cells have room for every third hour only.
const ROOM = 22;

/**
 * The map in a part of the page; `show(days, from, to)` draws it. `addressOf(day, hour)` is where an hour leads.
 * @param {HTMLElement} part
 * @param {(day: string, hour: string) => string} addressOf
 */
export function hoursMap(part, addressOf) {
  const names = weekdayNames();
  /** @type {Weekday[]} */
  let week = [];
  /** @type {Day[]} */
  let shown = [];
  const hrefOf = (/** @type {number} */ weekday, /** @type {number} */ hour) => {
    const day = mostOf(shown, weekday, hour);
    return day && addressOf(day.d, HOURS[hour]);
  };
  const map = new HeatMap(part, {
    values: () => week.flatMap(({ hours }) => hours),
    layout: (width) => layoutOf(week, names, width),
    tipOf: ({ weekday, hour }) => [
      fill(gettext("%(day)s, %(hour)s:00 to %(hour)s:59"), { day: names[weekday], hour: HOURS[hour] }),
      [averageRow(week[weekday], hour), ...mostRows(mostOf(shown, weekday, hour), hour)],
    ],
    figures: () => ({
      head: [gettext("Weekday"), ...HOURS],
      rows: week.map((weekday, place) => rowOf(names[place], weekday, (hour) => hrefOf(place, hour))),
    }),
    pick: ({ weekday, hour }) => { const href = hrefOf(weekday, hour); if (href) location.assign(href); },
  });
  return {
    /** @type {(days: Day[], from: string, to: string, ledger?: Ledger) => void} */
    show: (days, from, to, ledger) => {
      shown = days.filter(({ d }) => d >= from && d <= to);
      // Averages without the days that are not archived.
      week = weekIn(shown, [from, to], ledger);
      find(part, "[data-legend]").replaceChildren(...unknownLegend(week.map(({ unknown }) => unknown)));
      map.show(gettext("Heat map of average %(unit)s by weekday and hour; the table below shows the same values."));
    },
  };
}

/**
 * The day with the most in an hour of a weekday.
 * @param {Day[]} shown
 * @param {number} weekday
 * @param {number} hour
 */
function mostOf(shown, weekday, hour) {
  const days = shown.filter(({ d, h }) => weekdayOf(d) === weekday && h[hour] > 0);
  return days.reduce((/** @type {Day | undefined} */ most, day) => (most && most.h[hour] > day.h[hour] ? most : day), undefined);
}

/**
 * The weekdays of a span. Without the ledger, nothing is known of those without calls.
 * @param {Day[]} shown
 * @param {string[]} span
 * @param {Ledger | undefined} ledger
 */
function weekIn(shown, [from, to], ledger) {
  const week = weekOf(shown, from, to, (day) => ledger?.unknown(day) ?? null);
  if (ledger) return week;
  const called = new Set(shown.map(({ d }) => weekdayOf(d)));
  for (const [place, weekday] of week.entries()) if (!called.has(place)) weekday.count = 0;
  return week;
}

/**
 * The row of a weekday in the table.
 * @param {string} name
 * @param {Weekday} weekday
 * @param {(hour: number) => string | undefined} hrefOf
 * @returns {TableRow}
 */
function rowOf(name, { count, hours, unknown }, hrefOf) {
  return {
    name: unknown ? fill(gettext("%(days)s, %(why)s"), { days: name, why: unknownWords(unknown) }) : name,
    cells: hours.map((value, hour) => ({ ...(count ? exactCell(value, credits) : { text: "–" }), href: hrefOf(hour) })),
  };
}

/**
 * The row of a tip with the value, or why there is none.
 * @param {Weekday} weekday
 * @param {number} hour
 * @returns {TipRow}
 */
const averageRow = ({ count, hours, unknown }, hour) => (
  unknown ? { name: unknownWords(unknown), value: "" } : { name: gettext("Average %(unit)s"), value: count ? credits(hours[hour]) : "–" }
);

/**
 * The row of a tip that says where a click leads.
 * @param {Day | undefined} day
 * @param {number} hour
 */
const mostRows = (day, hour) => (day ? [{ name: fill(gettext("Most on %(day)s"), { day: day.d }), value: credits(day.h[hour]) }] : []);

/**
 * @param {Weekday[]} week
 * @param {string[]} names
 * @param {number} width
 * @returns {HeatLayout<{weekday: number, hour: number}>}
 */
function layoutOf(week, names, width) {
  const cell = (width - LEFT) / HOURS.length;
  const bottom = week.length * CELL;
  return {
    height: bottom + 20,
    cells: week.flatMap(({ count, hours, unknown }, weekday) => hours.map((value, hour) => (
      { x: LEFT + hour * cell, y: weekday * CELL, width: cell, height: CELL, value, unknown, blank: !count && !unknown, of: { weekday, hour } }
    ))),
    labels: [
      ...names.map((text, weekday) => ({ x: LEFT - 8, y: weekday * CELL + CELL / 2 + 4, text, anchor: "end" })),
      ...HOURS.map((text, hour) => ({ x: LEFT + (hour + 0.5) * cell, y: bottom + 15, text, anchor: "middle" }))
        .filter((_, hour) => cell >= ROOM || hour % 3 === 0),
    ],
  };
}
