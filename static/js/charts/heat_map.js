// What both heat maps have: cells by value, their labels, a scale, a tip, and a table. Drawn as SVG: it takes its colours
// from the style sheet, in either theme, and is there at once.

import { againRow, hideTip, onElsewhere, showTip } from "./tooltip.js";
import { credits } from "../shared/formats.js";
import { tableIn } from "./chart_table.js";

const SVG = "http://www.w3.org/2000/svg";
const STEPS = 5;
// Half of the space between two cells, and of the line around each.
const MARGIN = 2;
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
  #outline;
  #byTouch = false;
  #tapped;

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
    box.addEventListener("pointermove", (event) => this.#point(event));
    box.addEventListener("pointerdown", ({ pointerType }) => { this.#byTouch = pointerType === "touch"; });
    // A finger that is lifted has not gone elsewhere.
    box.addEventListener("pointerleave", ({ pointerType }) => { if (pointerType !== "touch") this.#leave(); });
    onElsewhere(box, () => this.#leave());
    if (this.#map.pick) box.addEventListener("click", (event) => this.#pick(event));
    new ResizeObserver(() => { if (this.#cells.length && box.clientWidth && box.clientWidth !== this.#width) this.#draw(); }).observe(box);
  }

  #placeOf({ clientX, clientY }) {
    const { left, top } = this.#box.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  }

  #cellAt({ x, y }) {
    return this.#cells.find((cell) => x >= cell.x && x < cell.x + cell.width && y >= cell.y && y < cell.y + cell.height);
  }

  #pick(event) {
    const cell = this.#cellAt(this.#placeOf(event));
    if (cell && this.#byTouch && this.#tapped !== cell) {
      this.#point(event);
      this.#tapped = cell;
    } else if (cell) {
      this.#map.pick(cell.of);
    }
  }

  #point(event) {
    const place = this.#placeOf(event);
    const cell = this.#cellAt(place);
    if (!cell) {
      this.#leave();
      return;
    }
    this.#outline.setAttribute("d", outlineOf(cell));
    const [title, rows] = this.#map.tipOf(cell.of);
    const leads = Boolean(this.#map.pick && cell.value);
    this.#box.classList.toggle("leads", leads);
    showTip(this.#box, place, title, this.#byTouch && leads ? [...rows, againRow()] : rows);
  }

  #leave() {
    this.#tapped = undefined;
    this.#outline?.setAttribute("d", "");
    hideTip(this.#box);
  }

  /** All cells of a colour are one shape: five hundred shapes would take the page ten times as long. */
  #draw() {
    this.#width = this.#box.clientWidth;
    const { height, cells, labels } = this.#map.layout(this.#width);
    this.#cells = cells;
    const shapes = Array(STEPS + 1).fill("");
    for (const cell of cells) shapes[this.#stepOf(cell.value)] += outlineOf(cell);
    this.#outline = element("path", { class: "heat-at" });
    const picture = element("svg", { viewBox: `0 0 ${this.#width} ${height}`, class: "heat" });
    picture.append(...shapes.map((d, step) => element("path", { d, class: `heat-${step}` })), ...labels.map(labelOf), this.#outline);
    this.#box.replaceChildren(picture);
  }

  #stepOf(value) {
    return value > 0 ? Math.min(STEPS, Math.ceil((value / this.#most) * STEPS)) : 0;
  }
}

/** A cell without its margin, as a path; the style sheet rounds its corners by a line around it. */
function outlineOf({ x, y, width, height }) {
  const across = Math.max(1, width - 2 * MARGIN).toFixed(2);
  const down = Math.max(1, height - 2 * MARGIN).toFixed(2);
  const corner = `${(x + MARGIN).toFixed(2)},${(y + MARGIN).toFixed(2)}`;
  return ["M", corner, "h", across, "v", down, "h-", across, "z"].join("");
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
