// Where a strip of days has its cells: in one row, or in a row for each year.

import { cellsOf } from "./ledger_days.js";
import { lengthOf, monthNames } from "./day_groups.js";

const HEIGHT = 18;
const NARROWEST = 3;
// Up to this number of days there is one row.
const MOST_IN_ROW = 120;
const BELOW = 16;
const YEAR = { left: 40, top: 18, height: 16, gap: 6 };
const ROOM_FOR_MONTHS = 480;

/**
 * A row for each year; few days are one row.
 * @param {CoverageDay[]} days
 * @param {number} width
 * @returns {StripLayout}
 */
export function byYear(days, width) {
  if (days.length <= MOST_IN_ROW) return oneRow(days, width);
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
 * One row with its first and last day.
 * @param {CoverageDay[]} days
 * @param {number} width
 * @returns {StripLayout}
 */
export function oneRow(days, width) {
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
