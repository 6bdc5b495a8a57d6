// The calendar of the last twelve months with the credits of each day; a click selects the day.

import { exactCell } from "./chart_table.js";
import { lengthOf, longName, monthNames, weekdayNames, weekdayOf } from "./day_groups.js";
import { credits, dayFrom } from "../shared/formats.js";
import { HeatMap } from "./heat_map.js";
import { unknownSpans, unknownWords } from "./ledger_days.js";
import { unknownLegend } from "./state_marks.js";
import { gettext } from "../shared/i18n.js";
import { find } from "../shared/page_elements.js";

/** @typedef {import("./ledger_days.js").Ledger} Ledger */
/**
 * @typedef {{day: string, value: number, unknown: UnknownState | undefined, blank: boolean}} YearDay Blank where no value is known.
 * @typedef {object} Known What is known of the days.
 * @property {Map<string, number | null>} credits Of the days with calls; null where no amount is known.
 * @property {Map<string, UnknownState>} unknown
 * @property {boolean} isRead Whether the ledger is there. Else nothing is known of days without calls.
 */

const NARROW = 600;
const HEIGHTS = { wide: 18, narrow: 13 };
const LEFT = 36;
const HEAD = 20;

/**
 * The map in a part of the page; `show(days, year, ledger)` draws it, and a click calls `onSpan(from, to)`. Unknown days are
 * hatched once the ledger of the year is there; days without calls are blank until then.
 * @param {HTMLElement} part
 * @param {OnSpan} onSpan
 */
export function yearMap(part, onSpan) {
  /** @type {Map<string, number | null>} */
  let known = new Map();
  /** @type {Required<Span>} */
  let year = { from: "", to: "" };
  /** @type {(Required<Span> & {state: UnknownState})[]} */
  let unknown = [];
  /** @type {Map<string, UnknownState>} */
  let unknownDays = new Map();
  /** @type {Ledger | undefined} */
  let read;
  const named = (/** @type {string} */ day) => longName({ from: day, to: day });
  const map = new HeatMap(part, {
    values: () => [...known.values()].filter((value) => value !== null),
    layout: (width) => layoutOf({ credits: known, unknown: unknownDays, isRead: Boolean(read) }, year, width),
    tipOf: (day) => [named(day.day), [rowOf(day)]],
    pick: ({ day }) => { if (known.has(day)) onSpan(day, day); },
    figures: () => ({
      head: [gettext("Day"), gettext("%(Unit)s")],
      rows: [
        ...[...known].map(([day, value]) => ({ day, name: named(day), pick: () => onSpan(day, day), cells: [value === null ? credits(null) : exactCell(value, credits)] })),
        ...unknown.map((span) => ({ day: span.from, name: longName(span), cells: [unknownWords(span.state)] })),
      ].sort((one, other) => (one.day < other.day ? -1 : 1)),
    }),
  });
  return {
    /** @type {(days: Day[], span: Required<Span>, ledger?: Ledger) => void} */
    show: (days, span, ledger) => {
      // A ledger that was read for the same year holds until it is read again.
      if (ledger || span.from !== year.from || span.to !== year.to) read = ledger;
      year = span;
      known = new Map(days.filter(({ d }) => d >= year.from && d <= year.to).map(({ d, c, amount }) => [d, amount === null ? null : c]));
      unknown = read ? unknownSpans(read, year) : [];
      unknownDays = new Map(unknown.flatMap(({ from, to, state }) => daysOf(from, to).map((day) => [day, state])));
      find(part, "[data-legend]").replaceChildren(...unknownLegend(unknown.map(({ state }) => state)));
      map.show(gettext("Heat map of the %(unit)s of each day in the last 12 months; the table below shows the same values."));
    },
  };
}

/**
 * The row of a tip with the value, or why there is none.
 * @param {YearDay} day
 * @returns {TipRow}
 */
const rowOf = ({ value, unknown, blank }) => (
  unknown ? { name: unknownWords(unknown), value: "" } : { name: gettext("%(Unit)s"), value: blank ? "–" : credits(value) }
);

/**
 * @param {string} from
 * @param {string} to
 */
const daysOf = (from, to) => Array.from({ length: lengthOf(from, to) }, (_, place) => dayFrom(from, place));

/**
 * @param {Known} known
 * @param {Required<Span>} year
 * @param {number} width
 * @returns {HeatLayout<YearDay>}
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
 * @param {Known} known
 * @param {Required<Span>} block
 * @param {number} top
 * @param {{width: number, height: number}} cell
 */
function blockOf(known, { from, to }, top, { width, height }) {
  const weekdays = weekdayNames();
  const months = monthNames();
  /** @type {HeatCell<YearDay>[]} */
  const cells = [];
  /** @type {HeatLabel[]} */
  const labels = [0, 2, 4].map((row) => ({ x: LEFT - 6, y: top + HEAD + (row + 0.5) * height + 4, text: weekdays[row], anchor: "end" }));
  for (let day = from, place = 0; day <= to; day = dayFrom(day, 1), place += 1) {
    const x = LEFT + Math.floor(place / 7) * width;
    const value = known.credits.get(day) ?? 0;
    const unknown = known.unknown.get(day);
    const blank = known.credits.has(day) ? known.credits.get(day) === null : !known.isRead;
    cells.push({ x, y: top + HEAD + weekdayOf(day) * height, width, height, value, unknown, blank, of: { day, value, unknown, blank } });
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
