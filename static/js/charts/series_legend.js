// The legend of a bar chart. A click on a name shows only that series, or all again; the button beside it, or a click with
// Shift, Ctrl or ⌘, hides one.

import { unknownLegend } from "./state_marks.js";
import { colourNamed } from "./page_colours.js";
import { fill, gettext } from "../shared/i18n.js";
import { findAll } from "../shared/page_elements.js";

/** @typedef {Pick<DaysShown, "bars" | "series" | "line" | "limit">} LegendContent */

export class SeriesLegend {
  #list;
  #onChange;
  /** @type {LegendContent} */
  #content = { bars: [], series: [] };
  /** @type {Set<string>} */
  #hidden = new Set();
  #only = "";

  /**
   * @param {HTMLElement} list
   * @param {() => unknown} onChange Called after a series was hidden or shown.
   */
  constructor(list, onChange) {
    this.#list = list;
    this.#onChange = onChange;
    document.addEventListener("archive:theme", () => this.#draw());
  }

  /**
   * Shows the names of the series and of the line, and the states of unknown days in the bars.
   * @param {LegendContent} content
   */
  show(content) {
    this.#content = content;
    const names = content.series.map(({ name }) => name);
    if (!names.includes(this.#only)) this.#only = "";
    // At least one series is shown: those that were hidden may be all that are left.
    if (names.every((name) => this.#hidden.has(name))) this.#hidden.clear();
    this.#draw();
  }

  /**
   * Whether the series, or the line, is to be drawn.
   * @param {string} name
   */
  isSeen(name) {
    return this.#only ? name === this.#only : !this.#hidden.has(name);
  }

  /** @param {string} name */
  #isolate(name) {
    this.#only = this.#only === name ? "" : name;
    this.#hidden.clear();
    this.#follow();
  }

  /** @param {string} name */
  #turn(name) {
    const names = this.#content.series.map((series) => series.name);
    if (this.#only) {
      this.#hidden = new Set(names.filter((other) => other !== this.#only));
      this.#only = "";
    }
    if (!this.#hidden.delete(name)) this.#hidden.add(name);
    if (names.every((other) => this.#hidden.has(other))) this.#hidden.clear();
    this.#follow();
  }

  #follow() {
    this.#draw();
    this.#onChange();
  }

  #draw() {
    const buttons = () => findAll(this.#list, "button");
    const focused = buttons().findIndex((button) => button === document.activeElement);
    const { bars, series, line, limit } = this.#content;
    this.#list.replaceChildren(
      ...series.map(({ name, colour }) => this.#itemOf(name, colour(colourNamed), series.length > 1)),
      ...(line ? [this.#lineItem(line.name)] : []),
      ...(limit ? [limitItem(limit.name)] : []),
      ...unknownLegend(bars.map(({ lacking }) => lacking)),
    );
    if (focused >= 0) buttons()[focused]?.focus();
  }

  /**
   * @param {string} name
   * @param {string} colour
   * @param {boolean} isChoice Whether there are others to be hidden.
   */
  #itemOf(name, colour, isChoice) {
    const [item, dot] = [document.createElement("li"), document.createElement("span")];
    dot.className = "dot";
    dot.style.backgroundColor = colour;
    item.append(dot);
    if (!isChoice) {
      item.append(name);
      return item;
    }
    item.toggleAttribute("data-off", !this.isSeen(name));
    const only = buttonOf("legend-only", name, this.#only === name, (event) => {
      if (event.shiftKey || event.ctrlKey || event.metaKey) this.#turn(name);
      else this.#isolate(name);
    });
    only.title = gettext("Show only this; with Shift, hide it");
    item.append(only, this.#hideButton(name));
    return item;
  }

  /** @param {string} name */
  #lineItem(name) {
    const [item, mark] = [document.createElement("li"), document.createElement("span")];
    mark.className = "line-mark";
    item.toggleAttribute("data-off", !this.isSeen(name) || this.#content.series.some((series) => !this.isSeen(series.name)));
    item.append(mark, name, this.#hideButton(name));
    return item;
  }

  /** @param {string} name */
  #hideButton(name) {
    const button = buttonOf("legend-hide", "", !this.isSeen(name), () => this.#turn(name));
    button.setAttribute("aria-label", fill(gettext("Hide %(name)s"), { name }));
    return button;
  }
}

/** @param {string} name */
function limitItem(name) {
  const [item, mark] = [document.createElement("li"), document.createElement("span")];
  mark.className = "line-mark limit-mark";
  item.append(mark, name);
  return item;
}

/**
 * @param {string} kind
 * @param {string} text
 * @param {boolean} isPressed
 * @param {(event: MouseEvent) => void} act
 */
function buttonOf(kind, text, isPressed, act) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = kind;
  button.textContent = text;
  button.setAttribute("aria-pressed", String(isPressed));
  button.addEventListener("click", act);
  return button;
}
