// A month of days in the menu of the period: the first day is chosen, then the last one. Loaded when the menu is first opened.

import { longName, weekdayNames, weekdayOf } from "../charts/day_groups.js";
import { dayFrom } from "./formats.js";
import { fill, gettext, language } from "./i18n.js";
import { find, findAll, targetOf } from "./page_elements.js";

const EARLIEST = "2000-01-01";
const WEEK = [0, 1, 2, 3, 4, 5, 6];
/** @type {Record<string, number>} */
const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };
/** @type {Record<string, number>} */
const MONTHS = { PageUp: -1, PageDown: 1 };

const MONTH = new Intl.DateTimeFormat(language, { month: "long", year: "numeric", timeZone: "UTC" });

/**
 * The first day of the month that is so many months away.
 * @param {string} day
 * @param {number} months
 */
const monthFrom = (day, months) => new Date(Date.UTC(Number(day.slice(0, 4)), Number(day.slice(5, 7)) - 1 + months, 1)).toISOString().slice(0, 10);

export class MonthDays {
  #box;
  #onSpan;
  /** @type {Span} */
  #span = {};
  #today = "";
  /** @type {(day: string) => boolean} */
  #isQuiet = () => false;
  /** The first day that was chosen, until the last one is. */
  #begun = "";
  /** The day that the Tab key leads to; its month is shown. */
  #at = "";

  /**
   * Draws into a box; calls `onSpan(from, to)` with the chosen days.
   * @param {HTMLElement} box
   * @param {OnSpan} onSpan
   */
  constructor(box, onSpan) {
    this.#box = box;
    this.#onSpan = onSpan;
    box.append(turnButton("-1", "‹", gettext("Month before")), headOf(), turnButton("1", "›", gettext("Month after")), tableOf(), hintOf());
    for (const button of findAll(box, "[data-month]")) button.addEventListener("click", () => this.#go(monthFrom(this.#at, Number(button.dataset.month))));
    const table = find(box, "table");
    table.addEventListener("keydown", (event) => this.#press(event));
    table.addEventListener("click", (event) => this.#choose(targetOf(event).closest("button")?.dataset.day));
  }

  /**
   * Shows the month in which a span ends.
   * @param {Span} span
   * @param {{today: string, isQuiet: (day: string) => boolean}} known
   */
  show(span, { today, isQuiet }) {
    this.#span = span;
    this.#today = today;
    this.#isQuiet = isQuiet;
    this.#begun = "";
    this.#go(span.to ?? today);
  }

  /** @param {string} day */
  #go(day) {
    this.#at = [EARLIEST, day].sort()[1];
    if (this.#at > this.#today) this.#at = this.#today;
    this.#draw();
  }

  /** @param {KeyboardEvent} event */
  #press(event) {
    const day = this.#dayFor(event.key);
    if (!day) return;
    event.preventDefault();
    this.#go(day);
  }

  /** @param {string} key */
  #dayFor(key) {
    if (STEPS[key]) return dayFrom(this.#at, STEPS[key]);
    if (MONTHS[key]) return monthFrom(this.#at, MONTHS[key]);
    if (key === "Home") return dayFrom(this.#at, -weekdayOf(this.#at));
    return key === "End" ? dayFrom(this.#at, 6 - weekdayOf(this.#at)) : "";
  }

  /** @param {string | undefined} day */
  #choose(day) {
    if (!day) return;
    const [from, to] = [this.#begun || day, day].sort();
    const isWhole = Boolean(this.#begun);
    this.#begun = isWhole ? "" : day;
    this.#span = { from, to };
    this.#go(day);
    if (isWhole) this.#onSpan(from, to);
  }

  #draw() {
    const first = `${this.#at.slice(0, 7)}-01`;
    const name = MONTH.format(new Date(first));
    find(this.#box, "[data-month-name]").textContent = name;
    find(this.#box, "table").setAttribute("aria-label", name);
    find(this.#box, "[data-month='1']", HTMLButtonElement).disabled = monthFrom(first, 1) > this.#today;
    find(this.#box, "[data-hint]").textContent = this.#begun ? gettext("Now the last day.") : gettext("Choose the first day, then the last one.");
    const rows = [];
    // Six weeks hold any month: the menu keeps its height.
    for (let week = dayFrom(first, -weekdayOf(first)), place = 0; place < 6; week = dayFrom(week, 7), place += 1) {
      const start = week;
      rows.push(rowOf(WEEK.map((across) => this.#cellOf(dayFrom(start, across), first))));
    }
    const body = find(this.#box, "tbody");
    const isHeld = body.contains(document.activeElement);
    body.replaceChildren(...rows);
    if (isHeld) find(body, "[tabindex='0']").focus();
  }

  /**
   * @param {string} day
   * @param {string} first
   */
  #cellOf(day, first) {
    const cell = document.createElement("td");
    if (day.slice(0, 7) !== first.slice(0, 7)) return cell;
    const { from = "", to = this.#today } = this.#span;
    const button = document.createElement("button");
    const name = longName({ from: day, to: day });
    const isQuiet = day > this.#today || this.#isQuiet(day);
    button.type = "button";
    button.textContent = String(Number(day.slice(8)));
    button.dataset.day = day;
    button.disabled = day > this.#today;
    button.tabIndex = day === this.#at ? 0 : -1;
    button.setAttribute("aria-pressed", String(day >= from && day <= to));
    button.title = isQuiet && !button.disabled ? fill(gettext("%(day)s, no calls"), { day: name }) : name;
    button.toggleAttribute("data-quiet", isQuiet);
    if (day === this.#today) button.setAttribute("aria-current", "date");
    cell.append(button);
    return cell;
  }
}

/**
 * @param {string} months
 * @param {string} sign
 * @param {string} name
 */
function turnButton(months, sign, name) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "month-turn";
  button.dataset.month = months;
  button.textContent = sign;
  button.setAttribute("aria-label", name);
  return button;
}

function headOf() {
  const head = document.createElement("p");
  head.dataset.monthName = "";
  head.setAttribute("aria-live", "polite");
  return head;
}

function tableOf() {
  const [table, head, body] = ["table", "thead", "tbody"].map((tag) => document.createElement(tag));
  table.setAttribute("role", "grid");
  head.append(rowOf(weekdayNames().map((name) => {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.textContent = name;
    return cell;
  })));
  table.append(head, body);
  return table;
}

function hintOf() {
  const hint = document.createElement("p");
  hint.className = "help";
  hint.dataset.hint = "";
  return hint;
}

/** @param {HTMLElement[]} cells */
function rowOf(cells) {
  const row = document.createElement("tr");
  row.append(...cells);
  return row;
}
