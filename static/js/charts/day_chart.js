// The bar chart of the days with legend, tip and table. A click selects one bar, a drag a span of bars. A click on an hour
// leads to its calls.

import { Bars, EDGES } from "./stacked_bars.js";
import { againRow, hideTip, onElsewhere, showTip } from "./tooltip.js";
import { longName } from "./day_groups.js";
import { exactCell, tableIn } from "./chart_table.js";
import { colourNamed } from "./page_colours.js";
import { SeriesLegend } from "./series_legend.js";
import { gettext } from "../shared/i18n.js";
import { find } from "../shared/page_elements.js";

/**
 * @param {number} value
 * @param {number} most
 */
const clamp = (value, most) => Math.min(most, Math.max(0, value));

export class DayChart {
  #box;
  #band;
  #before;
  #onSpan;
  #table;
  #chart;
  #legend;
  /** @type {DaysToShow} */
  #given = { groups: [], isOpen: false, grain: "day", title: "", head: "", note: "", label: "", bars: [], series: [], addressOf: () => "" };
  /** @type {DaysToShow} */
  #shown = this.#given;
  /** @type {number | null} */
  #begun = null;
  /** @type {number | null} */
  #tapped = null;

  /**
   * Draws into a part of the page; calls `onSpan(from, to)` with the chosen days.
   * @param {HTMLElement} part
   * @param {OnSpan} onSpan
   */
  constructor(part, onSpan) {
    this.#box = find(part, "[data-chart]");
    this.#band = find(part, "[data-band]");
    this.#before = find(part, "[data-before]");
    this.#onSpan = onSpan;
    this.#chart = new Bars(this.#box);
    this.#table = tableIn(part, () => this.#figures());
    this.#legend = new SeriesLegend(find(part, "[data-legend]"), () => this.#draw());
    this.#listen();
  }

  /**
   * Draws `{bars, series, head, label}`; the promise resolves once they are drawn. `addressOf(hour)` is where a bar of an hour leads.
   * @param {DaysToShow} given
   */
  show(given) {
    this.#given = given;
    this.#legend.show(given);
    return this.#draw();
  }

  #draw() {
    const given = this.#given;
    const isSeen = given.series.map(({ name }) => this.#legend.isSeen(name));
    // The line is of all series.
    const line = given.line && isSeen.every(Boolean) && this.#legend.isSeen(given.line.name) ? given.line : undefined;
    const limit = isSeen.every(Boolean) ? given.limit : undefined;
    this.#shown = { ...given, line, limit, series: given.series.filter((_, place) => isSeen[place]) };
    this.#stop();
    this.#box.setAttribute("aria-label", given.label);
    this.#box.toggleAttribute("data-leads", this.#leads);
    this.#table.update();
    return this.#chart.show(this.#shown);
  }

  get #leads() {
    return this.#shown.bars.some(({ from, hour }) => from || hour);
  }

  #listen() {
    const box = this.#box;
    box.addEventListener("pointermove", (event) => this.#point(event));
    box.addEventListener("pointerdown", (event) => this.#begin(event));
    box.addEventListener("pointerup", (event) => this.#end(event));
    box.addEventListener("pointercancel", () => this.#stop());
    // Lifting a finger also fires pointerleave; the tip stays.
    box.addEventListener("pointerleave", ({ pointerType }) => { if (pointerType !== "touch") this.#stop(); });
    onElsewhere(box, () => this.#stop());
    document.addEventListener("keydown", ({ key }) => { if (key === "Escape") this.#stop(); });
  }

  /** @param {PointerEvent} event */
  #begin(event) {
    if (event.pointerType === "touch") this.#point(event);
    if (event.button !== 0 || !this.#leads) return;
    this.#begun = this.#barAt(event);
    this.#box.setPointerCapture(event.pointerId);
  }

  /** @param {PointerEvent} event */
  #point(event) {
    const { bars } = this.#shown;
    if (!bars.length) return;
    const place = this.#barAt(event);
    const [first, last] = this.#ends(place);
    this.#mark(first, last);
    const title = first === last ? bars[place].long : longName({ from: bars[first].from ?? "", to: bars[last].to ?? "" });
    const rows = this.#tipRows(first, last);
    showTip(this.#box, { x: this.#xOf(event) }, title, event.pointerType === "touch" && this.#leads ? [...rows, againRow()] : rows);
  }

  /** @param {PointerEvent} event */
  #end(event) {
    if (this.#begun === null) return;
    const [first, last] = this.#ends(this.#barAt(event));
    const { bars } = this.#shown;
    if (event.pointerType === "touch" && first === last && this.#tapped !== first) {
      this.#begun = null;
      this.#tapped = first;
      return;
    }
    this.#stop();
    this.#goTo(bars[first], bars[last]);
  }

  /**
   * @param {Bar} first
   * @param {Bar} last
   */
  #goTo({ from, hour }, { to }) {
    if (from && to) this.#onSpan(from, to);
    else if (hour) location.assign(this.#shown.addressOf(hour));
  }

  #stop() {
    this.#begun = null;
    this.#tapped = null;
    this.#band.hidden = true;
    this.#before.hidden = true;
    hideTip(this.#box);
  }

  /**
   * The place of the bar under the pointer; beside the bars, that of the first or last one.
   * @param {PointerEvent} event
   */
  #barAt(event) {
    return clamp(Math.floor((this.#xOf(event) - EDGES.left) / this.#slot), this.#shown.bars.length - 1);
  }

  /** @param {PointerEvent} event */
  #xOf(event) {
    return event.clientX - this.#box.getBoundingClientRect().left;
  }

  /** @param {number} place */
  #ends(place) {
    const begun = this.#shown.grain === "hour" ? place : this.#begun ?? place;
    return [Math.min(begun, place), Math.max(begun, place)];
  }

  get #slot() {
    return (this.#box.clientWidth - EDGES.left - EDGES.right) / this.#shown.bars.length;
  }

  /**
   * @param {number} first
   * @param {number} last
   */
  #mark(first, last) {
    this.#band.hidden = false;
    this.#band.style.left = `${EDGES.left + first * this.#slot}px`;
    this.#band.style.width = `${(last - first + 1) * this.#slot}px`;
    const before = this.#shown.line?.values[first] ?? null;
    this.#before.hidden = first !== last || before === null;
    if (before === null) return;
    this.#before.style.left = `${EDGES.left + (first + 0.5) * this.#slot}px`;
    this.#before.style.top = `${this.#chart.heightOf(before)}px`;
  }

  /**
   * The sum of these bars, then the series with a value in the order of the stack, then the earlier value.
   * @param {number} first
   * @param {number} last
   * @returns {TipRow[]}
   */
  #tipRows(first, last) {
    const { bars, series, line } = this.#shown;
    if (bars.slice(first, last + 1).every(({ unknown, isUnpriced }) => unknown || isUnpriced)) return [];
    const sums = series.map(({ values }) => sumOf(values.slice(first, last + 1)));
    const rows = series.map(({ name, format, colour }, place) => ({ colour: colour(colourNamed), name, value: format(sums[place]) }));
    const valued = rows.filter((_, place) => sums[place]).reverse();
    const sum = { name: gettext("Sum"), value: series[0]?.format(sumOf(sums)) ?? "0", isSum: true };
    const before = line?.values.slice(first, last + 1).filter((value) => value != null);
    const name = line && first === last ? `${line.name} · ${line.days[first]}` : line?.name ?? "";
    const earlier = line && before?.length ? [{ colour: colourNamed("before"), name, value: line.format(sumOf(before)) }] : [];
    return [...(series.length === 1 ? rows : [sum, ...valued]), ...earlier];
  }

  /** @returns {TableFigures} */
  #figures() {
    const { bars, series, head, line } = this.#shown;
    const several = series.length > 1;
    const cells = (/** @type {number} */ place) => series.map(({ values, format }) => exactCell(values[place], format));
    const sum = (/** @type {number} */ place) => (several ? [exactCell(sumOf(series.map(({ values }) => values[place])), series[0].format)] : []);
    const before = (/** @type {number} */ place) => (line ? [earlierCell(line, place)] : []);
    return {
      head: [head, ...series.map(({ name }) => name), ...(several ? [gettext("Sum")] : []), ...(line ? [line.name] : [])],
      rows: bars.map((bar, place) => ({
        name: bar.long,
        pick: bar.from ? () => this.#goTo(bar, bar) : undefined,
        href: bar.hour && this.#shown.addressOf(bar.hour),
        cells: [...[...cells(place), ...sum(place)].map((cell) => (bar.unknown || bar.isUnpriced ? "–" : cell)), ...before(place)],
      })),
    };
  }
}

/** @param {number[]} values */
const sumOf = (values) => values.reduce((sum, value) => sum + value, 0);

/**
 * @param {EarlierLine} line
 * @param {number} place
 */
function earlierCell({ values, format }, place) {
  const value = values[place];
  return value == null ? "–" : exactCell(value, format);
}
