// The part of the overview that shows the budgets: a bar for each, and the dialog that sets one.

import { longName } from "../../charts/day_groups.js";
import { shownRange } from "../../charts/month_sums.js";
import { get } from "../../shared/api.js";
import { credits, day, minutes, share, whole } from "../../shared/formats.js";
import { fill, gettext, sentences } from "../../shared/i18n.js";
import { copyOf, find, findAll } from "../../shared/page_elements.js";

const WHOLE = 100;

export class BudgetPart {
  #part;
  #list;
  #said;
  #onOther;
  /** @type {Budget[]} */
  #items = [];
  /** @type {Forecast | null} */
  #forecast = null;
  /** @type {{state: State, budget: number | undefined} | undefined} What the bars of the days show. */
  #drawn;

  /**
   * The budgets in a part of the page.
   * @param {HTMLElement} part
   * @param {() => void} onOther Called when the bars of the days show a budget that has changed.
   */
  constructor(part, onOther) {
    this.#part = part;
    this.#onOther = onOther;
    this.#list = find(part, "ul");
    this.#said = find(part, "[data-said]");
    find(part, "[data-add]").addEventListener("click", () => this.#open(null));
    this.#list.addEventListener("click", (event) => {
      const place = this.#buttons.findIndex((button) => button === event.target);
      if (place >= 0) this.#open(this.#items[place]);
    });
  }

  get #buttons() {
    return findAll(this.#list, "[data-change]");
  }

  /** @param {Budget | null} budget */
  async #open(budget) {
    const { openBudget } = await import("./budget_dialog.js");
    openBudget(budget, (message) => this.#renew(message, budget?.id));
  }

  /**
   * @param {string} message
   * @param {number} [id] The budget that was changed.
   */
  async #renew(message, id) {
    this.show((await get("/api/budgets")).items, this.#forecast);
    this.#said.textContent = message;
    const place = this.#items.findIndex((one) => one.id === id);
    (this.#buttons[place] ?? find(this.#part, "[data-add]")).focus();
  }

  /**
   * Notes the budgets before they are shown.
   * @param {Budget[]} items
   */
  note(items) {
    this.#items = items;
  }

  /**
   * @param {Budget[]} items
   * @param {Forecast | null} forecast
   */
  show(items, forecast) {
    this.#forecast = forecast;
    const held = this.#buttons.findIndex((button) => button === document.activeElement);
    this.note(items);
    this.#part.toggleAttribute("data-empty", !items.length);
    this.#said.textContent = "";
    const names = namesOf(items);
    this.#list.replaceChildren(...items.map((budget, place) => rowOf(this.#part, budget, names[place], forecast)));
    this.#buttons[held]?.focus();
    if (this.#drawn && dayBudget(items, this.#drawn.state) !== this.#drawn.budget) this.#onOther();
  }

  /**
   * The budget of a day for the calls of these filters, which the bars will show.
   * @param {State} state
   */
  ofDay(state) {
    const budget = dayBudget(this.#items, state);
    this.#drawn = { state: { ...state }, budget };
    return budget;
  }
}

/**
 * The credits of the least budget of a day that counts exactly the calls of these filters.
 * @param {Budget[]} items
 * @param {Pick<State, "model" | "client" | "purpose">} state
 */
export function dayBudget(items, { model, client, purpose }) {
  const fitting = items.filter((one) => one.period === "day" && one.model === model && one.client === client && !purpose);
  return fitting.length ? Math.min(...fitting.map((one) => one.credits)) : undefined;
}

/**
 * @param {HTMLElement} part
 * @param {Budget} budget
 * @param {string} name
 * @param {Forecast | null} forecast
 */
function rowOf(part, budget, name, forecast) {
  const row = copyOf(find(part, "template", HTMLTemplateElement));
  const { spent, credits: whole, thresholds, percent } = budget;
  find(row, "[data-name]").textContent = name;
  find(row, "[data-figures]").textContent = fill(gettext("%(spent)s of %(whole)s %(unit)s, %(share)s"), { spent: credits(spent), whole: credits(whole), share: share(spent, whole) });
  find(row, "[data-words]").textContent = wordsOf(budget, forecast);
  find(row, "[data-change]").setAttribute("aria-label", fill(gettext("Change the budget: %(name)s"), { name }));
  row.dataset.level = levelOf(budget);
  // Thresholds above the whole make the bar longer than the budget.
  const end = Math.max(WHOLE, ...thresholds);
  const bar = find(row, ".budget-bar");
  find(bar, "[data-spent]").style.width = `${(Math.min(percent, end) / end) * 100}%`;
  bar.append(...thresholds.filter((threshold) => threshold < end).map((threshold) => {
    const mark = document.createElement("i");
    mark.style.left = `${(threshold / end) * 100}%`;
    mark.toggleAttribute("data-reached", percent >= threshold);
    return mark;
  }));
  return row;
}

/** @param {Budget} budget */
function levelOf({ left, runs_out_at: out }) {
  if (left <= 0) return "over";
  return out ? "soon" : "fine";
}

/**
 * The names of budgets; those that would be the same have their credits, and else a number.
 * @param {Budget[]} items
 */
export function namesOf(items) {
  const plain = items.map(nameOf);
  const apart = items.map((budget, place) => (
    isTwice(plain, plain[place]) ? fill(gettext("%(name)s · %(credits)s %(unit)s"), { name: plain[place], credits: credits(budget.credits) }) : plain[place]
  ));
  return apart.map((name, place) => (isTwice(apart, name) ? `${name} (${apart.slice(0, place + 1).filter((one) => one === name).length})` : name));
}

/**
 * @param {string[]} names
 * @param {string} name
 */
const isTwice = (names, name) => names.indexOf(name) !== names.lastIndexOf(name);

/** @param {Budget} budget */
function nameOf({ period, model, client, begins_on: from, ends_at: until, first_day: first }) {
  const whole = { day: gettext("Today"), week: gettext("This week"), month: gettext("This month") }[period];
  const days = period === "month" && first !== 1 ? longName({ from, to: day(until) }) : whole;
  return [days, model, client].filter(Boolean).join(" · ");
}

/**
 * What is left of a budget, when it will be used up, and where its month will end.
 * @param {Budget} budget
 * @param {Forecast | null} forecast
 */
export function wordsOf(budget, forecast) {
  const { period, left, ends_at: until, runs_out_at: out } = budget;
  const at = minutes(out);
  const end = endWords(budget, forecast);
  if (left <= 0) {
    const used = left < 0 ? gettext("Used up on %(at)s; %(over)s %(unit)s over.") : gettext("Used up on %(at)s.");
    return sentences([fill(used, { at, over: credits(-left) }), end]);
  }
  const rest = period === "day" ? gettext("%(left)s left today.") : gettext("%(left)s left until %(day)s.");
  return sentences([fill(rest, { left: credits(left), day: day(until) }), out ? fill(gettext("At this pace used up on %(at)s."), { at }) : "", end]);
}

/**
 * Where the month will end, for a budget of all its calls; empty for others, whose end nobody foresees.
 * @param {Budget} budget
 * @param {Forecast | null} forecast
 */
function endWords({ period, model, client, first_day: first, credits: most }, forecast) {
  if (period !== "month" || model || client || first !== 1 || !forecast || forecast.low === null) return "";
  const { low, high } = forecast;
  const shown = shownRange({ least: low, most: high }, forecast.so_far);
  const span = { low: whole(shown.least), high: whole(shown.most) };
  if (high <= most) return fill(gettext("The month will end at %(low)s to %(high)s %(unit)s, within the budget."), span);
  return fill(low > most ? gettext("The month will end at %(low)s to %(high)s %(unit)s, above the budget.") : gettext("The month will end at %(low)s to %(high)s %(unit)s; the budget may not last."), span);
}
