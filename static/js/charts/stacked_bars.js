// Stacked bars with axes in the colours of the page; redrawn when theme or size change.

import uPlot from "../../vendor/uplot/uplot.min.js";
import { colourNamed as colour, fontFamily } from "./page_colours.js";
import { compact } from "../shared/formats.js";

// The space between the bars and the edges of their box, in CSS pixels.
export const EDGES = { left: 46, right: 16, top: 10, bottom: 26 };
const [FILLED, WIDEST] = [0.82, 64];
// With more bars there is no room for lines between them.
const MOST_WITH_LINES = 60;
const PALER = 0.4;
// The line behind the bars, in CSS pixels, and how strong it is where it is seen through them.
const [LINE, THROUGH] = [1.5, 0.85];
// The distance of the lines over unknown days, in CSS pixels, and how strong they are.
const HATCH = 7;
const HATCH_STRENGTH = 0.55;
const BETWEEN_NAMES = 14;

// The distances between the lines of an axis of counts: there is no half of a call.
const WHOLE = [0, 1, 2, 3, 4, 5, 6, 7, 8].flatMap((power) => [1, 2, 5].map((times) => times * 10 ** power));

/** @typedef {Pick<DaysShown, "bars" | "series" | "line" | "limit" | "isCount">} Drawn */

export class Bars {
  #box;
  #isShown = false;
  /** @type {uPlot | undefined} */
  #plot;
  /** @type {Drawn} */
  #shown = { bars: [], series: [] };

  /** @param {HTMLElement} box */
  constructor(box) {
    this.#box = box;
    const isOther = () => box.clientWidth !== this.#plot?.width || box.clientHeight !== this.#plot?.height;
    new ResizeObserver(() => { if (this.#isShown && box.clientWidth && isOther()) this.#draw(); }).observe(box);
    document.addEventListener("archive:theme", () => { if (this.#isShown) this.#draw(); });
  }

  /**
   * Draws `{bars, series, line}`: bars have a `short` name and may be `partial`, a series its `values` by bar and its
   * `colour`. The line is behind the bars.
   * @param {Drawn} shown
   */
  show(shown) {
    this.#shown = shown;
    this.#isShown = true;
    return this.#draw();
  }

  /** Resolves once the bars are drawn. A hidden box has no width; its bars are drawn when it gets one. */
  #draw() {
    this.#plot?.destroy();
    this.#plot = undefined;
    if (!this.#box.clientWidth) return Promise.resolve();
    return /** @type {Promise<void>} */ (new Promise((drawn) => {
      this.#plot = new uPlot(this.#options(drawn), this.#data(), this.#box);
    }));
  }

  /**
   * The places of the bars, the values of the line, then the ends of the stacked series, the highest first.
   * @returns {uPlot.AlignedData}
   */
  #data() {
    const { bars, line } = this.#shown;
    return [bars.map((_, place) => place), ...(line ? [line.values] : []), ...stacks(this.#shown)];
  }

  /**
   * @param {() => void} drawn
   * @returns {uPlot.Options}
   */
  #options(drawn) {
    const { bars, series, isCount, limit, line: before } = this.#shown;
    const axis = { font: `12px ${fontFamily()}`, stroke: colour("soft"), ticks: { show: false } };
    const line = bars.length > MOST_WITH_LINES ? { width: 0 } : { width: 1, stroke: colour("card") };
    const paths = uPlot.paths.bars?.({ size: [FILLED, WIDEST] });
    return {
      width: this.#box.clientWidth,
      height: this.#box.clientHeight,
      padding: [EDGES.top, EDGES.right, 0, 0],
      legend: { show: false },
      cursor: { show: false },
      scales: { x: { time: false, range: [-0.5, bars.length - 0.5] }, y: { range: (_, least, most) => rangeOf(least, Math.max(most, limit?.value ?? 0)) } },
      axes: [
        {
          ...axis, size: EDGES.bottom, gap: 6, grid: { show: false }, border: { show: true, width: 1, stroke: colour("field-line") },
          splits: (plot) => this.#named(plot, axis.font), values: (_, places) => places.map((place) => bars[place].short),
        },
        {
          ...axis, size: EDGES.left, gap: 6, space: 56, grid: { stroke: colour("line"), width: 1 },
          values: (_, values) => values.map(compact), ...(isCount && { incrs: WHOLE }),
        },
      ],
      series: [{}, ...(before ? [{ stroke: colour("before"), width: LINE, points: { show: false } }] : []), ...series.map((one) => ({ fill: one.colour(colour), ...line, points: { show: false }, paths })).reverse()],
      hooks: { draw: [(plot) => { this.#pale(plot, colour("card")); this.#through(plot, colour("card")); this.#hatch(plot, colour("field-line")); this.#limit(plot, colour("limit")); drawn(); }] },
    };
  }

  /**
   * The places of the bars that have their name below, as many as fit.
   * @param {uPlot} plot
   * @param {string} font
   */
  #named({ ctx }, font) {
    const { bars } = this.#shown;
    ctx.save();
    ctx.font = font;
    // The longest is the widest, or nearly; to measure each of a thousand names takes longer than to draw their bars.
    const longest = bars.reduce((most, { short }) => (short.length > most.length ? short : most), "");
    const widest = ctx.measureText(longest).width + BETWEEN_NAMES;
    ctx.restore();
    const every = Math.max(1, Math.ceil((widest * bars.length) / (this.#box.clientWidth - EDGES.left - EDGES.right)));
    return bars.map((_, place) => place).filter((place) => place % every === 0);
  }

  /**
   * Makes bars paler whose time is not over.
   * @param {uPlot} plot
   * @param {string} card
   */
  #pale(plot, card) {
    const { ctx, data } = plot;
    const highest = data[this.#shown.line ? 2 : 1] ?? [];
    ctx.save();
    ctx.globalAlpha = PALER;
    ctx.fillStyle = card;
    for (const [place, { partial }] of this.#shown.bars.entries()) {
      if (!partial) continue;
      const [left, right] = [place - 0.5, place + 0.5].map((edge) => plot.valToPos(edge, "x", true));
      const [top, foot] = [highest[place] ?? 0, 0].map((value) => plot.valToPos(value, "y", true));
      ctx.fillRect(left, top, right - left, foot - top);
    }
    ctx.restore();
  }

  /**
   * How far below the top of the box a value is, in CSS pixels.
   * @param {number} value
   */
  heightOf(value) {
    return this.#plot ? this.#plot.valToPos(value, "y") + this.#plot.bbox.top / devicePixelRatio : 0;
  }

  /**
   * The line where bars hide it, in the colour of the ground: as if they could be seen through.
   * @param {uPlot} plot
   * @param {string} ground
   */
  #through(plot, ground) {
    const { line, bars } = this.#shown;
    if (!line) return;
    const { ctx, bbox: { width }, data } = plot;
    const [path, hidden] = [new Path2D(), new Path2D()];
    const across = Math.min((width / bars.length) * FILLED, WIDEST * devicePixelRatio);
    let isOn = false;
    for (const [place, value] of line.values.entries()) {
      const x = plot.valToPos(place, "x", true);
      const [top, foot] = [data[2]?.[place] ?? 0, 0].map((end) => plot.valToPos(end, "y", true));
      hidden.rect(x - across / 2, top, across, foot - top);
      if (value !== null) path[isOn ? "lineTo" : "moveTo"](x, plot.valToPos(value, "y", true));
      isOn = value !== null;
    }
    ctx.save();
    ctx.clip(hidden);
    ctx.strokeStyle = ground;
    ctx.globalAlpha = THROUGH;
    ctx.lineWidth = LINE * devicePixelRatio;
    ctx.stroke(path);
    ctx.restore();
  }

  /**
   * A dashed line over all bars at the budget of a day.
   * @param {uPlot} plot
   * @param {string} stroke
   */
  #limit(plot, stroke) {
    const { limit } = this.#shown;
    if (!limit) return;
    const { ctx, bbox: { left, width } } = plot;
    const height = Math.round(plot.valToPos(limit.value, "y", true));
    ctx.save();
    ctx.strokeStyle = stroke;
    ctx.lineWidth = 1.5 * devicePixelRatio;
    ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
    ctx.beginPath();
    ctx.moveTo(left, height);
    ctx.lineTo(left + width, height);
    ctx.stroke();
    ctx.restore();
  }

  /**
   * Hatches the places of bars about which nothing is known, over their whole height: they would look like zero.
   * @param {uPlot} plot
   * @param {string} line
   */
  #hatch(plot, line) {
    const { ctx, bbox: { left: start, top, width, height } } = plot;
    const { bars } = this.#shown;
    ctx.save();
    ctx.strokeStyle = line;
    ctx.globalAlpha = HATCH_STRENGTH;
    ctx.lineWidth = devicePixelRatio;
    for (const [place, { unknown }] of bars.entries()) {
      if (!unknown) continue;
      const [left, right] = [place - 0.5, place + 0.5].map((edge) => plot.valToPos(edge, "x", true));
      const lines = linesIn({ x: start, y: top, width, height }, left, right, unknown === "unreachable");
      ctx.save();
      ctx.beginPath();
      ctx.rect(left, top, right - left, height);
      ctx.clip();
      ctx.stroke(lines);
      ctx.restore();
    }
    ctx.restore();
  }
}

/**
 * Slanting lines over a part of the bars' box, from `left` to `right`; `crossed` adds those of the other slant. They begin
 * at the box, so that the lines of neighbouring bars meet.
 * @param {Box} box
 * @param {number} left
 * @param {number} right
 * @param {boolean} crossed
 */
function linesIn({ x: start, y, width, height }, left, right, crossed) {
  const [step, lines] = [HATCH * devicePixelRatio, new Path2D()];
  for (let x = start - height; x < start + width; x += step) {
    if (x + height < left || x > right) continue;
    lines.moveTo(x, y + height);
    lines.lineTo(x + height, y);
    if (!crossed) continue;
    lines.moveTo(x, y);
    lines.lineTo(x + height, y + height);
  }
  return lines;
}

/**
 * Where the bars of each series end, last series first: each series is drawn over the one before it.
 * @param {Drawn} shown
 */
function stacks({ bars, series }) {
  const [above, below] = [bars.map(() => 0), bars.map(() => 0)];
  return series.map(({ values }) => values.map((value, place) => {
    const side = value < 0 ? below : above;
    side[place] += value;
    return side[place];
  })).reverse();
}

/**
 * The range of the axis: from 0 to a little above the highest bar.
 * @param {number} least
 * @param {number} most
 * @returns {[number, number]}
 */
const rangeOf = (least, most) => [Math.min(0, least * 1.05), most > 0 || least < 0 ? Math.max(0, most * 1.05) : 1];
