// The month so far as a line that rises, beside that of the month before, with the range in which it will end.

import { BoxSize } from "./box_size.js";
import { exactCell, tableIn } from "./chart_table.js";
import { longName } from "./day_groups.js";
import { unknownWords } from "./ledger_days.js";
import { shownRange } from "./month_sums.js";
import { stretches } from "./sparks.js";
import { legendItem, patternOf } from "./state_marks.js";
import { element, labelOf } from "./svg.js";
import { hideTip, onElsewhere, showTip } from "./tooltip.js";
import { compact, credits, dayFrom, spanWords, whole } from "../shared/formats.js";
import { fill, gettext, language, ngettext } from "../shared/i18n.js";
import { find } from "../shared/page_elements.js";

const EDGES = { left: 46, right: 16, top: 10, bottom: 22 };
const LINES = 4;
const MOST_DAYS = 31;
const NONE = "–";

export class MonthChart {
  #box;
  #size;
  #table;
  /** @type {MonthSoFar | null} */
  #month = null;
  #width = 0;
  /** @type {SVGElement | undefined} */
  #cursor;

  /** @param {HTMLElement} part */
  constructor(part) {
    this.#box = find(part, "[data-chart]");
    this.#table = tableIn(part, () => this.#figures());
    const box = this.#box;
    box.addEventListener("pointermove", (event) => this.#point(event));
    box.addEventListener("pointerdown", (event) => this.#point(event));
    box.addEventListener("pointerleave", ({ pointerType }) => { if (pointerType !== "touch") this.#leave(); });
    onElsewhere(box, () => this.#leave());
    document.addEventListener("keydown", ({ key }) => { if (key === "Escape") this.#leave(); });
    this.#size = new BoxSize(box, () => { if (this.#month) this.#draw(); });
  }

  /** @param {MonthSoFar} month */
  show(month) {
    this.#month = month;
    this.#box.setAttribute("aria-label", gettext("Line chart of the %(unit)s of this month and the month before; the table below shows the same values."));
    this.#table.update();
    this.#draw();
  }

  get #days() {
    return Math.max(this.#month?.then.length ?? 0, this.#month?.now.length ?? 0, Number(this.#month?.end.slice(8) ?? MOST_DAYS));
  }

  #draw() {
    const month = this.#month;
    this.#leave();
    this.#width = this.#size.width;
    if (!month || !this.#width) return;
    const { height } = this.#size;
    const top = Math.max(month.now.at(-1) ?? 0, month.then.at(-1) ?? 0, month.forecast?.most ?? 0) * 1.05 || 1;
    const y = (/** @type {number} */ value) => height - EDGES.bottom - (value / top) * (height - EDGES.top - EDGES.bottom);
    const lines = (/** @type {string} */ kind, /** @type {number[]} */ values, /** @type {boolean[]} */ unknown) => stretches(unknown.map((one) => !one)).map(([first, last]) => (
      element("polyline", { class: kind, points: values.slice(first, last + 1).map((value, place) => `${this.#x(first + place)},${y(value)}`).join(" ") })
    ));
    const picture = element("svg", { viewBox: `0 0 ${this.#width} ${height}`, class: "month" });
    const step = niceStep(top / LINES);
    for (let value = 0; value <= top; value += step) {
      picture.append(
        element("line", { class: value ? "month-grid" : "month-base", x1: EDGES.left, x2: this.#width - EDGES.right, y1: y(value), y2: y(value) }),
        labelOf({ x: EDGES.left - 8, y: y(value) + 4, text: compact(value), anchor: "end" }),
      );
    }
    for (let day = 0; day < this.#days; day += this.#width < 500 ? 7 : 5) {
      picture.append(labelOf({ x: this.#x(day), y: height - 6, text: String(day + 1), anchor: "middle" }));
    }
    picture.append(...this.#hatched(month.unknown.now, height), ...lines("month-then", month.then, month.unknown.then));
    if (month.forecast) picture.append(...this.#forecast(month, month.forecast, y));
    this.#cursor = element("line", { class: "month-at", y1: EDGES.top, y2: height - EDGES.bottom, visibility: "hidden" });
    const last = month.now.length - 1;
    picture.append(
      ...lines("month-now", month.now, month.unknown.now),
      element("circle", { class: "month-dot", cx: this.#x(last), cy: y(month.now[last]), r: 3.5 }),
      this.#cursor,
    );
    this.#box.replaceChildren(picture);
  }

  /**
   * The days of this month that are not archived: its sum is not known to have stood still there.
   * @param {boolean[]} unknown
   * @param {number} height
   */
  #hatched(unknown, height) {
    return stretches(unknown).map(([first, last]) => {
      const [left, right] = [Math.max(EDGES.left, this.#x(first - 0.5)), this.#x(last + 0.5)];
      return element("rect", { class: "heat-unknown", x: left, y: EDGES.top, width: right - left, height: height - EDGES.top - EDGES.bottom, fill: patternOf("unasked") });
    });
  }

  /**
   * The range of the end as an area that opens from today.
   * @param {MonthSoFar} month
   * @param {NonNullable<MonthSoFar["forecast"]>} forecast
   * @param {(value: number) => number} y
   */
  #forecast({ now, end }, { least, most, expected }, y) {
    const [start, last] = [this.#x(now.length - 1), this.#x(Number(end.slice(8)) - 1)];
    const from = y(now.at(-1) ?? 0);
    return [
      element("path", { class: "month-range", d: `M${start},${from}L${last},${y(most)}V${y(least)}Z` }),
      element("path", { class: "month-expected", d: `M${start},${from}L${last},${y(expected)}` }),
    ];
  }

  /** @param {number} day */
  #x(day) {
    return EDGES.left + (day / Math.max(1, this.#days - 1)) * (this.#width - EDGES.left - EDGES.right);
  }

  /** @param {PointerEvent} event */
  #point({ clientX }) {
    const month = this.#month;
    if (!month) return;
    const x = clientX - this.#box.getBoundingClientRect().left;
    const across = this.#width - EDGES.left - EDGES.right;
    const day = Math.min(this.#days - 1, Math.max(0, Math.round(((x - EDGES.left) / across) * (this.#days - 1))));
    for (const name of ["x1", "x2"]) this.#cursor?.setAttribute(name, String(this.#x(day)));
    this.#cursor?.setAttribute("visibility", "visible");
    const [now, then, end] = cellsOf(month, day).map((cell) => (typeof cell === "string" ? cell : cell.text));
    const rows = [{ name: nameOf(month.start), value: now }, { name: nameOf(month.before), value: then }];
    const isEnd = day === Number(month.end.slice(8)) - 1 && month.forecast;
    showTip(this.#box, { x }, dayName(month.start, day), isEnd ? [...rows, { name: gettext("Forecast"), value: end }] : rows);
  }

  #leave() {
    this.#cursor?.setAttribute("visibility", "hidden");
    hideTip(this.#box);
  }

  /** @returns {TableFigures} */
  #figures() {
    const month = this.#month;
    if (!month) return { head: [], rows: [] };
    const rows = Array.from({ length: this.#days }, (_, day) => ({ name: String(day + 1), cells: cellsOf(month, day) }));
    return { head: [gettext("Day"), nameOf(month.start), nameOf(month.before), gettext("Forecast")], rows };
  }
}

/**
 * The words below the chart: where the month will end.
 * @param {MonthSoFar} month
 */
export function forecastWords({ start, now, forecast }) {
  if (!forecast) return gettext("A forecast needs seven archived days of the last eight weeks.");
  const { least, most } = shownRange(forecast, now.at(-1) ?? 0);
  return fill(gettext("%(month)s will end at %(least)s to %(most)s %(unit)s."), { month: nameOf(start), least: whole(least), most: whole(most) });
}

/**
 * The items of the legend for days that are not archived.
 * @param {MonthSoFar} month
 */
export function unknownItems({ start, before, unknown: { now, then } }) {
  /** @type {[string, boolean[]][]} */
  const months = [[start, now], [before, then]];
  return months.flatMap(([month, holes]) => {
    const count = holes.filter(Boolean).length;
    const words = fill(ngettext("%(month)s: %(count)s day not archived", "%(month)s: %(count)s days not archived", count), { month: nameOf(month), count: whole(count) });
    return count ? [legendItem("unasked", words)] : [];
  });
}

/**
 * The sums of a day of both months; on the last day also the range of the forecast.
 * @param {MonthSoFar} month
 * @param {number} day
 * @returns {(string | TableCell)[]}
 */
function cellsOf({ now, then, unknown, end, forecast }, day) {
  const sum = (/** @type {number[]} */ values, /** @type {boolean[]} */ holes) => {
    if (holes[day]) return unknownWords("unasked");
    return day < values.length ? exactCell(values[day], credits) : NONE;
  };
  const isEnd = day === Number(end.slice(8)) - 1;
  const shown = forecast && isEnd && shownRange(forecast, now.at(-1) ?? 0);
  return [sum(now, unknown.now), sum(then, unknown.then), shown ? spanWords(whole(shown.least), whole(shown.most)) : NONE];
}

/** @param {string} start */
function nameOf(start) {
  return new Intl.DateTimeFormat(language, { month: "long", year: "numeric", timeZone: "UTC" }).format(new Date(`${start}T00:00:00Z`));
}

/**
 * @param {string} start
 * @param {number} day
 */
function dayName(start, day) {
  const date = dayFrom(start, day);
  return date.slice(0, 7) === start.slice(0, 7) ? longName({ from: date, to: date }) : fill(gettext("Day %(day)s"), { day: day + 1 });
}

/**
 * The next of 1, 2, 5 and their tenfolds.
 * @param {number} least
 */
function niceStep(least) {
  const unit = 10 ** Math.floor(Math.log10(least));
  return (([1, 2, 5].find((times) => times * unit >= least)) ?? 10) * unit;
}
