// What both heat maps have: cells by value, their labels, a scale, a tip, and a table. Drawn as SVG: it takes its colours
// from the style sheet, in either theme, and is there at once.

import { hideTip, showTip } from "archive/charts";
import { credits } from "archive/formats";
import { tableIn } from "archive/tables";

const SVG = "http://www.w3.org/2000/svg";
const STEPS = 5;
const GAP = 2;
// Above this share of the values all have the strongest colour: one busy hour would leave the others pale.
const STRONGEST = 0.95;

export class HeatMap {
  #part;
  #box;
  #map;
  #table;
  #cells = [];
  #most = 1;
  #width = 0;

  /**
   * In a part of the page. `map` tells what is shown: `values()`, `layout(width)` as `{height, cells, labels}` with cells as
   * `{x, y, width, height, value, of}` and labels as `{x, y, text, anchor}`, `tipOf(of)` as title and rows, `figures()` for
   * the table, and `pick(of)` where a click leads somewhere.
   */
  constructor(part, map) {
    this.#part = part;
    this.#box = part.querySelector("[data-chart]");
    this.#map = map;
    this.#table = tableIn(part.querySelector("details"), () => map.figures());
    this.#listen();
  }

  /** Draws what the map tells now. */
  show(label) {
    this.#most = strongest(this.#map.values());
    this.#box.setAttribute("aria-label", label);
    this.#part.querySelector("[data-most]").textContent = `≥ ${credits(this.#most)}`;
    this.#table.update();
    hideTip(this.#box);
    this.#draw();
  }

  #listen() {
    const box = this.#box;
    const cellOf = ({ target }) => this.#cells[target.dataset.cell];
    box.addEventListener("pointermove", (event) => this.#point(event, cellOf(event)));
    box.addEventListener("pointerleave", () => hideTip(box));
    if (this.#map.pick) {
      box.addEventListener("click", (event) => {
        const cell = cellOf(event);
        if (cell) this.#map.pick(cell.of);
      });
    }
    new ResizeObserver(() => { if (this.#cells.length && box.clientWidth && box.clientWidth !== this.#width) this.#draw(); }).observe(box);
  }

  #point({ clientX, clientY }, cell) {
    if (!cell) {
      hideTip(this.#box);
      return;
    }
    const { left, top } = this.#box.getBoundingClientRect();
    showTip(this.#box, { x: clientX - left, y: clientY - top }, ...this.#map.tipOf(cell.of));
  }

  #draw() {
    this.#width = this.#box.clientWidth;
    const { height, cells, labels } = this.#map.layout(this.#width);
    this.#cells = cells;
    const picture = element("svg", { viewBox: `0 0 ${this.#width} ${height}`, class: "heat" });
    picture.append(...cells.map((cell, place) => this.#cell(cell, place)), ...labels.map(labelOf));
    this.#box.replaceChildren(picture);
  }

  #cell({ x, y, width, height, value }, place) {
    const step = value > 0 ? Math.min(STEPS, Math.ceil((value / this.#most) * STEPS)) : 0;
    const half = GAP / 2;
    const size = { x: x + half, y: y + half, width: Math.max(1, width - GAP), height: Math.max(1, height - GAP), rx: 3 };
    return element("rect", { ...size, class: `heat-${step}`, "data-cell": place });
  }
}

function labelOf({ text, anchor = "start", ...place }) {
  const node = element("text", { ...place, "text-anchor": anchor });
  node.textContent = text;
  return node;
}

function element(name, attributes) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

/** The value from which on cells are as strong as they get. */
function strongest(values) {
  const sorted = values.filter((value) => value > 0).sort((one, other) => one - other);
  return sorted[Math.floor(STRONGEST * (sorted.length - 1))] ?? 1;
}
