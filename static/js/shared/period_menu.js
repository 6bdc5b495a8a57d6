// The menu of the period: periods by name, a calendar and fields for other days; beside it the period before and after.

import { fieldOf, find, findAll, targetOf } from "./page_elements.js";
import { CUSTOM, calendarOf, periodsIn } from "./periods.js";
import { stepped } from "./period_steps.js";
import { bindPopMenu, leaveMenuOf } from "./pop_menu.js";

const DAYS = ["from", "to"];
const TYPING = 600;

export class PeriodMenu {
  #form;
  #set;
  #menu;
  /** @type {Span} */
  #span = {};
  #period = "";
  /** @type {import("./month_days.js").MonthDays | undefined} */
  #days;
  /** @type {number | undefined} */
  #typing;
  /** Whether a day has no calls. @type {(day: string) => boolean} */
  isQuiet = (day) => day < this.#first;

  /**
   * @param {HTMLFormElement} form
   * @param {(changes: Pick<State, "period"> & Partial<State>) => void} set Changes the filters.
   */
  constructor(form, set) {
    this.#form = form;
    this.#set = set;
    this.#menu = find(form, "#period", HTMLDetailsElement);
    bindPopMenu(this.#menu);
    this.#menu.addEventListener("toggle", () => this.#showDays());
    this.#menu.addEventListener("click", (event) => this.#choose(targetOf(event).closest("button")));
    for (const button of findAll(form, "[data-step]")) button.addEventListener("click", () => this.#step(button));
    for (const name of DAYS) fieldOf(form, name).addEventListener("change", () => this.#typeDay());
    form.addEventListener("submit", () => this.#takeDays());
  }

  /**
   * Shows the period of the page.
   * @param {Pick<State, "period">} state
   * @param {Span} span
   */
  show({ period }, span) {
    clearTimeout(this.#typing);
    this.#span = span;
    this.#period = period;
    for (const button of periodsIn(this.#form)) button.setAttribute("aria-pressed", String(button.dataset.period === period));
    for (const button of findAll(this.#form, "[data-step]", HTMLButtonElement)) button.disabled = !this.#beside(button);
    fieldOf(this.#form, "from").value = span.from ?? "";
    fieldOf(this.#form, "to").value = span.to ?? "";
    this.#showDays();
  }

  get #first() {
    return this.#form.dataset.first ?? "";
  }

  /** The calendar is loaded when the menu is first opened. */
  async #showDays() {
    if (!this.#menu.open) return;
    if (!this.#days) {
      const script = await import("./month_days.js").catch(() => null);
      if (!script) return;
      this.#days ??= new script.MonthDays(find(this.#menu, "[data-calendar]"), (from, to) => this.#take({ from, to }));
    }
    this.#days.show(this.#span, { today: calendarOf(this.#form).today, isQuiet: this.isQuiet });
  }

  /** @param {HTMLButtonElement | null} button */
  #choose(button) {
    const period = button?.dataset.period;
    if (!button || !period) return;
    leaveMenuOf(button);
    this.#set({ period });
  }

  /** @param {HTMLElement} button */
  #beside({ dataset }) {
    return stepped(this.#span, Number(dataset.step), calendarOf(this.#form), this.#first, this.#period);
  }

  /** @param {HTMLElement} button */
  #step(button) {
    const period = this.#beside(button);
    if (period) this.#set(period);
    // A button that leads nowhere any more would lose the focus to the page.
    if (!this.#beside(button)) find(this.#menu, "summary").focus();
  }

  /** Waits for the last keystroke: each one in a date may give a valid date. */
  #typeDay() {
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.#takeDays(), TYPING);
  }

  #takeDays() {
    const [from, to] = DAYS.map((name) => fieldOf(this.#form, name));
    clearTimeout(this.#typing);
    if (!from.checkValidity() || !to.checkValidity() || !(from.value || to.value)) return;
    this.#take({ from: from.value, to: to.value });
  }

  /** @param {Required<Span>} span */
  #take({ from, to }) {
    this.#set({ period: CUSTOM, from, to });
  }
}
