// The base of both heat maps: cells coloured by value, labels, a scale, a tip and a table. They are SVG, which takes its
// colours from the style sheet in either theme and needs no library.

import { BoxSize } from "./box_size.js";
import { againRow, hideTip, onElsewhere, showTip } from "./tooltip.js";
import { credits } from "../shared/formats.js";
import { patternOf } from "./state_marks.js";
import { element, labelOf } from "./svg.js";
import { tableIn } from "./chart_table.js";
import { find } from "../shared/page_elements.js";

const STEPS = 5;
// Half of the space between two cells, and half of the line around each.
const MARGIN = 2;
// Values above this quantile share the strongest colour; otherwise one busy hour would leave the others pale.
const STRONGEST = 0.95;

/** @template Of What a cell stands for. */
export class HeatMap {
  #part;
  #box;
  #size;
  #map;
  #table;
  /** @type {HeatCell<Of>[]} */
  #cells = [];
  #most = 1;
  #width = 0;
  /** @type {SVGElement | undefined} */
  #outline;
  #byTouch = false;
  /** @type {HeatCell<Of> | undefined} */
  #tapped;

  /**
   * Draws into a part of the page; `map` provides the values, the layout and the texts.
   * @param {HTMLElement} part
   * @param {HeatSource<Of>} map
   */
  constructor(part, map) {
    this.#part = part;
    this.#box = find(part, "[data-chart]");
    this.#size = new BoxSize(this.#box, () => { if (this.#cells.length && this.#size.width !== this.#width) this.#draw(); });
    this.#map = map;
    this.#table = tableIn(part, () => map.figures());
    this.#listen();
  }

  /**
   * Draws the current values.
   * @param {string} label
   */
  show(label) {
    this.#most = strongest(this.#map.values());
    this.#box.setAttribute("aria-label", label);
    find(this.#part, "[data-most]").textContent = `≥ ${credits(this.#most)}`;
    this.#table.update();
    hideTip(this.#box);
    this.#draw();
  }

  #listen() {
    const box = this.#box;
    box.addEventListener("pointermove", (event) => this.#point(event));
    box.addEventListener("pointerdown", ({ pointerType }) => { this.#byTouch = pointerType === "touch"; });
    // Lifting a finger also fires pointerleave; the tip stays.
    box.addEventListener("pointerleave", ({ pointerType }) => { if (pointerType !== "touch") this.#leave(); });
    onElsewhere(box, () => this.#leave());
    if (this.#map.pick) box.addEventListener("click", (event) => this.#pick(event));
  }

  /** @param {MouseEvent} event */
  #placeOf({ clientX, clientY }) {
    const { left, top } = this.#box.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  }

  /** @param {{x: number, y: number}} place */
  #cellAt({ x, y }) {
    return this.#cells.find((cell) => x >= cell.x && x < cell.x + cell.width && y >= cell.y && y < cell.y + cell.height);
  }

  /** @param {MouseEvent} event */
  #pick(event) {
    const cell = this.#cellAt(this.#placeOf(event));
    if (cell && this.#byTouch && this.#tapped !== cell) {
      this.#point(event);
      this.#tapped = cell;
    } else if (cell) {
      this.#map.pick?.(cell.of);
    }
  }

  /** @param {MouseEvent} event */
  #point(event) {
    const place = this.#placeOf(event);
    const cell = this.#cellAt(place);
    if (!cell) {
      this.#leave();
      return;
    }
    this.#outline?.setAttribute("d", outlineOf(cell));
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

  /** Draws all cells of a colour as one path: five hundred separate shapes take ten times as long. */
  #draw() {
    this.#width = this.#size.width;
    const { height, cells, labels } = this.#map.layout(this.#width);
    this.#cells = cells;
    const shapes = Array(STEPS + 1).fill("");
    /** @type {Map<UnknownState, string>} */
    const unknown = new Map();
    let blank = "";
    for (const cell of cells) {
      if (cell.blank) blank += outlineOf(cell);
      else if (cell.unknown) unknown.set(cell.unknown, (unknown.get(cell.unknown) ?? "") + outlineOf(cell));
      else shapes[this.#stepOf(cell.value)] += outlineOf(cell);
    }
    this.#outline = element("path", { class: "heat-at" });
    const picture = element("svg", { viewBox: `0 0 ${this.#width} ${height}`, class: "heat" });
    const hatched = [...unknown].map(([state, d]) => element("path", { d, class: "heat-unknown", fill: patternOf(state) }));
    if (blank) hatched.push(element("path", { d: blank, class: "heat-blank" }));
    picture.append(...shapes.map((d, step) => element("path", { d, class: `heat-${step}` })), ...hatched, ...labels.map(labelOf), this.#outline);
    this.#box.replaceChildren(picture);
  }

  /** @param {number} value */
  #stepOf(value) {
    return value > 0 ? Math.min(STEPS, Math.ceil((value / this.#most) * STEPS)) : 0;
  }
}

/**
 * A cell without its margin, as a path; the style sheet rounds the corners with a line around it.
 * @param {Box} box
 */
function outlineOf({ x, y, width, height }) {
  const across = Math.max(1, width - 2 * MARGIN).toFixed(2);
  const down = Math.max(1, height - 2 * MARGIN).toFixed(2);
  const corner = `${(x + MARGIN).toFixed(2)},${(y + MARGIN).toFixed(2)}`;
  return ["M", corner, "h", across, "v", down, "h-", across, "z"].join("");
}

/**
 * The value from which cells have the strongest colour.
 * @param {number[]} values
 */
function strongest(values) {
  const sorted = values.filter((value) => value > 0).sort((one, other) => one - other);
  return sorted[Math.floor(STRONGEST * (sorted.length - 1))] ?? 1;
}
