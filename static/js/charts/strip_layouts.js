// Where a strip of days has its cells: in one row, or in a row for each year.

import { cellsOf } from "./ledger_days.js";
import { lengthOf, monthNames } from "./day_groups.js";

const HEIGHT = 18;
const NARROWEST = 3;
// The bars of the days above a strip are single days up to this number.
const MOST_BARS = 120;
const BELOW = 16;
const YEAR = { left: 40, top: 18, height: 16, gap: 6 };
const ROOM_FOR_MONTHS = 480;

/**
 * One row, below the bars of the days where these are single days.
 * @param {{left: number, right: number}} edges The space beside the bars.
 * @returns {(days: CoverageDay[], width: number) => StripLayout}
 */
export const belowBars = (edges) => (days, width) => {
  const areBars = days.length > 1 && days.length <= MOST_BARS;
  return areBars ? { height: HEIGHT, cells: rowOf(days, { x: edges.left, y: 0, width: width - edges.left - edges.right, height: HEIGHT }), labels: [] } : oneRow(days, width);
};

/**
 * A row for each year; few days are one row.
 * @param {CoverageDay[]} days
 * @param {number} width
 * @returns {StripLayout}
 */
export function byYear(days, width) {
  if (days.length <= MOST_BARS) return oneRow(days, width);
  const years = [...new Set(days.map(({ d }) => d.slice(0, 4)))];
  const across = width - YEAR.left;
  const rows = years.map((year, row) => {
    const own = days.filter(({ d }) => d.startsWith(year));
    const slots = lengthOf(`${year}-01-01`, `${year}-12-31`);
    const before = lengthOf(`${year}-01-01`, own[0].d) - 1;
    const y = YEAR.top + row * (YEAR.height + YEAR.gap);
    return {
      cells: rowOf(own, { x: YEAR.left + (across * before) / slots, y, width: (across * own.length) / slots, height: YEAR.height }),
      label: { x: YEAR.left - 8, y: y + YEAR.height / 2 + 4, text: year, anchor: "end" },
    };
  });
  const every = width < ROOM_FOR_MONTHS ? 3 : 1;
  const months = monthNames().map((text, month) => ({ x: YEAR.left + (across * month) / 12, y: 11, text })).filter((_, month) => month % every === 0);
  return {
    height: YEAR.top + years.length * (YEAR.height + YEAR.gap) - YEAR.gap,
    cells: rows.flatMap(({ cells }) => cells),
    labels: [...months, ...rows.map(({ label }) => label)],
  };
}

/**
 * @param {CoverageDay[]} days
 * @param {number} width
 * @returns {StripLayout}
 */
function oneRow(days, width) {
  const y = HEIGHT + BELOW - 4;
  const ends = days.length > 1 ? [{ x: 0, y, text: days[0].d }, { x: width, y, text: days[days.length - 1].d, anchor: "end" }] : [];
  return { height: HEIGHT + (ends.length && BELOW), cells: rowOf(days, { x: 0, y: 0, width, height: HEIGHT }), labels: ends };
}

/**
 * Days side by side; where they would be too narrow, several share a cell.
 * @param {CoverageDay[]} days
 * @param {Box} row
 * @returns {PlacedCell[]}
 */
function rowOf(days, { x, y, width, height }) {
  const each = width / days.length;
  let left = x;
  return cellsOf(days, Math.floor(width / NARROWEST)).map((cell) => {
    const placed = { ...cell, x: left, y, width: each * cell.days.length, height };
    left += placed.width;
    return placed;
  });
}
