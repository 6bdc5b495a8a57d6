// The strip of the ledger: the state of each day, with legend, tip and table. A click or a drag selects days; so do the
// arrow keys with Shift.

import { BoxSize } from "./box_size.js";
import { tableIn } from "./chart_table.js";
import { longName } from "./day_groups.js";
import { tipOf, upstreamWords } from "./day_tips.js";
import { completeWords, countsOf, lackingIn, stateWords, stretchesOf } from "./ledger_days.js";
import { legendItem, marksOf } from "./state_marks.js";
import { element, labelOf } from "./svg.js";
import { hideTip, onElsewhere, showTip } from "./tooltip.js";
import { fill, gettext, listed } from "../shared/i18n.js";
import { minutes, whole } from "../shared/formats.js";
import { find } from "../shared/page_elements.js";

// With narrower cells there is no room for a space between them.
const ROOM = 5;
const FILLED = 0.82;
const WIDEST = 64;
/** @type {Record<string, (place: number, last: number) => number>} */
const KEYS = {
  ArrowLeft: (place) => place - 1,
  ArrowDown: (place) => place - 1,
  ArrowRight: (place) => place + 1,
  ArrowUp: (place) => place + 1,
  PageDown: (place) => place - 30,
  PageUp: (place) => place + 30,
  Home: () => 0,
  End: (_, last) => last,
};

export class StateStrip {
  #part;
  #box;
  #size;
  #layout;
  #onDays;
  #table;
  /** @type {CoverageDay[]} */
  #days = [];
  /** @type {PlacedCell[]} */
  #cells = [];
  #width = 0;
  /** The cell at the pointer or the keyboard, and the one where a selection began. */
  #at = 0;
  /** @type {number | null} */
  #begun = null;
  #isDragged = false;
  #isMarked = false;
  /** @type {SVGElement | undefined} */
  #outline;

  /**
   * Draws into a part of the page. `layout` places the days; `onDays` gets the selected days, if one of them lacks calls.
   * @param {HTMLElement} part
   * @param {(days: CoverageDay[], width: number) => StripLayout} layout
   * @param {(days: CoverageDay[]) => void} onDays
   */
  constructor(part, layout, onDays) {
    this.#part = part;
    this.#box = find(part, "[data-chart]");
    this.#size = new BoxSize(this.#box, () => { if (this.#days.length && this.#size.width !== this.#width) this.#draw(); });
    this.#layout = layout;
    this.#onDays = onDays;
    this.#table = tableIn(part, () => this.#figures());
    this.#listen();
  }

  /** @param {CoverageDay[]} days */
  show(days) {
    const isOther = days.length !== this.#days.length || days[0]?.d !== this.#days[0]?.d;
    this.#days = days;
    this.#draw();
    if (isOther) {
      this.#at = this.#cells.length - 1;
      this.#leave();
    } else if (this.#isMarked) {
      this.#select();
    }
    this.#announce();
    const counts = countsOf(days);
    find(this.#part, "[data-legend]").replaceChildren(...counts.map(([state, count]) => (
      legendItem(state, fill(gettext("%(state)s: %(count)s"), { state: stateWords(state), count: whole(count) }))
    )));
    // Where a page has a seal, it says what the strip is about.
    const complete = this.#part.querySelector("[data-complete]");
    if (complete) complete.textContent = completeWords(days);
    const note = find(this.#part, "[data-note]");
    note.textContent = lackingIn(days, Infinity) ? gettext("Click a day that is not complete, or drag over several days, to fetch them.") : "";
    note.hidden = !note.textContent;
    this.#table.update();
  }

  #listen() {
    const box = this.#box;
    box.addEventListener("pointerdown", (event) => this.#begin(event));
    box.addEventListener("pointermove", (event) => this.#point(event));
    box.addEventListener("pointerup", (event) => this.#end(event));
    box.addEventListener("pointercancel", () => this.#leave());
    box.addEventListener("pointerleave", ({ pointerType }) => { if (pointerType !== "touch" && this.#begun === null) this.#leave(); });
    box.addEventListener("keydown", (event) => this.#press(event));
    box.addEventListener("focus", () => { if (box.matches(":focus-visible")) this.#select(); });
    box.addEventListener("blur", () => this.#leave());
    onElsewhere(box, () => this.#leave());
  }

  /** @param {PointerEvent} event */
  #begin(event) {
    if (event.button !== 0 || !this.#cells.length) return;
    this.#at = this.#cellAt(event);
    this.#begun = this.#at;
    this.#isDragged = true;
    this.#box.setPointerCapture(event.pointerId);
    this.#select();
  }

  /** @param {PointerEvent} event */
  #point(event) {
    if (!this.#cells.length) return;
    this.#at = this.#cellAt(event);
    this.#select();
  }

  /** @param {PointerEvent} event */
  #end(event) {
    if (!this.#isDragged) return;
    this.#at = this.#cellAt(event);
    this.#choose();
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const { key, shiftKey } = event;
    if (!this.#cells.length) return;
    if (key === "Escape") this.#leave();
    else if (key === "Enter" || key === " ") this.#choose();
    else if (key in KEYS) this.#step(KEYS[key], shiftKey);
    else return;
    event.preventDefault();
  }

  /**
   * @param {(place: number, last: number) => number} next
   * @param {boolean} isSelecting
   */
  #step(next, isSelecting) {
    const last = this.#cells.length - 1;
    if (!isSelecting) this.#begun = null;
    else this.#begun ??= this.#at;
    this.#at = Math.min(last, Math.max(0, next(this.#at, last)));
    this.#select();
    this.#announce();
  }

  /** Ends a selection and gives its days. */
  #choose() {
    const days = this.#selected;
    const lacks = lackingIn(days, Infinity);
    this.#begun = null;
    this.#isDragged = false;
    if (!lacks) return;
    this.#leave();
    this.#onDays(days);
  }

  #leave() {
    this.#begun = null;
    this.#isDragged = false;
    this.#isMarked = false;
    this.#outline?.setAttribute("d", "");
    hideTip(this.#box);
  }

  get #selected() {
    const [first, last] = this.#ends;
    return this.#cells.slice(first, last + 1).flatMap(({ days }) => days);
  }

  get #ends() {
    const begun = this.#begun ?? this.#at;
    return [Math.min(begun, this.#at), Math.max(begun, this.#at)];
  }

  /** Marks the selected days, and shows their tip. */
  #select() {
    const [first, last] = this.#ends;
    const cells = this.#cells.slice(first, last + 1);
    if (!cells.length) return;
    this.#isMarked = true;
    this.#outline?.setAttribute("d", cells.map(({ x, y, width, height }) => `M${x},${y}h${width}v${height}h-${width}z`).join(""));
    const [title, rows] = tipOf(this.#selected);
    const lacks = lackingIn(this.#selected, Infinity);
    this.#box.classList.toggle("leads", Boolean(lacks));
    const { x, y, width, height } = this.#cells[this.#at];
    showTip(this.#box, { x: x + width / 2, y: y + height + 4 }, title, lacks ? [...rows, { name: gettext("Click, or press Enter, to fetch."), value: "" }] : rows);
  }

  /** Gives the day at the keyboard to screen readers. */
  #announce() {
    const box = this.#box;
    box.setAttribute("aria-valuemax", String(Math.max(0, this.#cells.length - 1)));
    box.setAttribute("aria-valuenow", String(Math.max(0, this.#at)));
    if (!this.#cells.length) return;
    const [title, rows] = tipOf(this.#selected);
    box.setAttribute("aria-valuetext", listed([title, ...rows.map(({ name, value }) => [name, value].filter(Boolean).join(" "))]));
  }

  /**
   * The cell at the pointer, else the nearest one in its row.
   * @param {PointerEvent} event
   */
  #cellAt({ clientX, clientY }) {
    const { left, top } = this.#box.getBoundingClientRect();
    const [x, y] = [clientX - left, clientY - top];
    const distance = (/** @type {PlacedCell} */ cell) => (
      1000 * Math.max(0, cell.y - y, y - cell.y - cell.height) + Math.max(0, cell.x - x, x - cell.x - cell.width)
    );
    const distances = this.#cells.map(distance);
    return distances.indexOf(Math.min(...distances));
  }

  #draw() {
    this.#width = this.#size.width;
    const { height, cells, labels } = this.#layout(this.#days, this.#width);
    this.#cells = cells;
    this.#at = Math.min(this.#at, Math.max(0, cells.length - 1));
    const picture = element("svg", { viewBox: `0 0 ${Math.max(1, this.#width)} ${height}`, class: "strip-picture" });
    this.#outline = element("path", { class: "strip-at" });
    const marks = countsOf(this.#days).map(([state]) => marksOf(state, cells.filter((cell) => cell.state === state).map(drawnIn)));
    picture.append(...marks, ...labels.map(labelOf), this.#outline);
    this.#box.replaceChildren(picture);
  }

  /** @returns {TableFigures} */
  #figures() {
    return {
      head: [gettext("Days"), gettext("State"), gettext("Calls at %(service)s"), gettext("Calls here"), gettext("Without a prompt"), gettext("Counted")],
      rows: stretchesOf(this.#days).map(({ days, from, to, state }) => ({
        name: longName({ from, to }),
        pick: lackingIn(days, Infinity) ? () => this.#onDays(days) : undefined,
        cells: [stateWords(state), upstreamSum(days), sumOf(days, "here"), sumOf(days, "without_prompt"), minutes(days[days.length - 1].checked_at) || "–"],
      })),
    };
  }
}

/**
 * The part of its place that a cell fills, as the bars of the days do.
 * @param {PlacedCell} cell
 * @returns {Box}
 */
function drawnIn({ x, y, width, height }) {
  const filled = width < ROOM ? width : Math.min(WIDEST, Math.max(width - 2, FILLED * width));
  return { x: x + (width - filled) / 2, y, width: filled, height };
}

/**
 * @param {CoverageDay[]} days
 * @param {"here" | "without_prompt"} field
 */
const sumOf = (days, field) => whole(days.reduce((sum, day) => sum + day[field], 0));

/** @param {CoverageDay[]} days */
function upstreamSum(days) {
  if (days.some(({ upstream }) => upstream === null)) return upstreamWords({ ...days[0], upstream: null });
  return whole(days.reduce((sum, { upstream }) => sum + (upstream ?? 0), 0));
}
