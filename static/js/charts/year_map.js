// The calendar of the last twelve months with the credits of each day; a click selects the day.

import { lengthOf, longName, monthNames, weekdayNames, weekdayOf } from "./day_groups.js";
import { credits, dayFrom } from "../shared/formats.js";
import { HeatMap } from "./heat_map.js";
import { gettext } from "../shared/i18n.js";

const NARROW = 600;
const HEIGHTS = { wide: 18, narrow: 13 };
const LEFT = 36;
const HEAD = 20;

/**
 * The map in a part of the page; `show(days, year)` draws it, and a click calls `onSpan(from, to)`.
 * @param {HTMLElement} part
 * @param {OnSpan} onSpan
 */
export function yearMap(part, onSpan) {
  /** @type {Map<string, number>} */
  let known = new Map();
  /** @type {Required<Span>} */
  let year = { from: "", to: "" };
  const named = (/** @type {string} */ day) => longName({ from: day, to: day });
  const map = new HeatMap(part, {
    values: () => [...known.values()],
    layout: (width) => layoutOf(known, year, width),
    tipOf: ({ day, value }) => [named(day), [{ name: gettext("Credits"), value: credits(value) }]],
    pick: ({ day }) => { if (known.has(day)) onSpan(day, day); },
    figures: () => ({
      head: [gettext("Day"), gettext("Credits")],
      rows: [...known].map(([day, value]) => ({ name: named(day), pick: () => onSpan(day, day), cells: [credits(value)] })),
    }),
  });
  return {
    /** @type {(days: Day[], span: Required<Span>) => void} */
    show: (days, span) => {
      year = span;
      known = new Map(days.filter(({ d }) => d >= year.from && d <= year.to).map(({ d, c }) => [d, c]));
      map.show(gettext("Heat map of the credits of each day in the last 12 months; the table below shows the same values."));
    },
  };
}

/**
 * @param {Map<string, number>} known
 * @param {Required<Span>} year
 * @param {number} width
 * @returns {HeatLayout<{day: string, value: number}>}
 */
function layoutOf(known, year, width) {
  const narrow = width < NARROW;
  const height = narrow ? HEIGHTS.narrow : HEIGHTS.wide;
  const blocks = narrow ? halves(year) : [year];
  const most = Math.max(...blocks.map(({ from, to }) => Math.ceil(lengthOf(from, to) / 7)));
  const cell = { width: (width - LEFT) / most, height };
  const parts = blocks.map((block, place) => blockOf(known, block, place * (HEAD + 7 * height + 8), cell));
  return {
    height: blocks.length * (HEAD + 7 * height + 8) - 8,
    cells: parts.flatMap(({ cells }) => cells),
    labels: parts.flatMap(({ labels }) => labels),
  };
}

/**
 * Weeks side by side, each a column from Monday down, below the names of the months that begin in them.
 * @param {Map<string, number>} known
 * @param {Required<Span>} block
 * @param {number} top
 * @param {{width: number, height: number}} cell
 */
function blockOf(known, { from, to }, top, { width, height }) {
  const weekdays = weekdayNames();
  const months = monthNames();
  /** @type {HeatCell<{day: string, value: number}>[]} */
  const cells = [];
  /** @type {HeatLabel[]} */
  const labels = [0, 2, 4].map((row) => ({ x: LEFT - 6, y: top + HEAD + (row + 0.5) * height + 4, text: weekdays[row], anchor: "end" }));
  for (let day = from, place = 0; day <= to; day = dayFrom(day, 1), place += 1) {
    const x = LEFT + Math.floor(place / 7) * width;
    const value = known.get(day) ?? 0;
    cells.push({ x, y: top + HEAD + weekdayOf(day) * height, width, height, value, of: { day, value } });
    if (day.endsWith("-01")) labels.push({ x, y: top + 13, text: months[Number(day.slice(5, 7)) - 1] });
  }
  return { cells, labels };
}

/**
 * The halves of the year, drawn one below the other on narrow pages: the days of a whole year would be too small to point at.
 * @param {Required<Span>} year
 */
function halves({ from, to }) {
  const middle = dayFrom(from, 27 * 7);
  return [{ from, to: dayFrom(middle, -1) }, { from: middle, to }];
}
