// The filters of Overview and Records: period, model, client, purpose. The address holds them, so they survive sharing, reload
// and back.

import { reread } from "./api.js";
import { DIMS, joined, labelOf, namesIn, WITHOUT } from "./filter_names.js";
import { sayFilters } from "./filter_words.js";
import { loadNames } from "./model_colours.js";
import { askForNames } from "./names_dialog.js";
import { byId, fieldOf, find, findAll } from "./page_elements.js";
import { PeriodMenu } from "./period_menu.js";
import { calendarOf, queryOf, readState, spanOf, tidied } from "./periods.js";
import { bindPopMenu } from "./pop_menu.js";
import { replaceQuery } from "./query.js";
import { whole } from "./formats.js";
import { listed } from "./i18n.js";

const NAMES = ["period", "from", "to", ...DIMS];
// The parameters for calls without a model, client or purpose; `readState` converts them to `WITHOUT`.
const UNNAMED = DIMS.map((dim) => `no_${dim}`);
// The value of the option that opens the dialog for several names: no name has a NUL.
const SEVERAL = "\0several";

/**
 * @typedef {Record<string, string | null | undefined>} Changes Parameters of the address; empty ones are removed.
 * @typedef {object} Options
 * @property {string} usual The period of an address without one.
 * @property {(state: State) => void} onChange Called after every change of the address: by a picker, by `set`, by back or forward.
 * @property {string[]} [drops] The other parameters that a change of a filter removes, such as the page number.
 */

/**
 * Wires `filters.html`.
 * @param {Options} options
 */
export const bindFilters = (options) => new Filters(byId("filters", HTMLFormElement), options);

class Filters {
  #form;
  #options;
  #periods;
  /** @type {State} */
  state;

  /**
   * @param {HTMLFormElement} form
   * @param {Options} options
   */
  constructor(form, options) {
    this.#form = form;
    this.#options = options;
    // HTML cannot hold this value.
    for (const option of findAll(form, "[data-without]", HTMLOptionElement)) option.value = WITHOUT;
    for (const option of findAll(form, "[data-several]", HTMLOptionElement)) option.value = SEVERAL;
    this.#periods = new PeriodMenu(form, this.set);
    this.state = this.#read();
    this.#listen();
    showNames();
  }

  get calendar() {
    return calendarOf(this.#form);
  }

  /** The current day of the server. */
  get today() {
    return this.calendar.today;
  }

  /** The first day of the archive; empty if there was none when the page was rendered. */
  get firstDay() {
    return this.#form.dataset.first ?? "";
  }

  get span() {
    return spanOf(this.state, this.calendar);
  }

  /**
   * Tells the calendar which days have no calls; without it, those before the archive.
   * @param {(day: string) => boolean} isQuiet
   * @param {string} [first] The first day with calls, which may have come since the page was rendered.
   */
  quiet(isQuiet, first) {
    this.#periods.isQuiet = isQuiet;
    if (!first || (this.firstDay && this.firstDay <= first)) return;
    this.#form.dataset.first = first;
    this.#show(this.state);
  }

  /**
   * Changes filters and other parameters of the address.
   * @param {Changes} changes
   */
  set = (changes, { replace = false } = {}) => {
    const address = addressWith(changes, this.state, this.#options, this.calendar);
    if (address === location.pathname + location.search) return;
    history[replace ? "replaceState" : "pushState"](null, "", address);
    this.#follow();
  };

  /**
   * Reads the periods again if the day of the server has changed; returns whether it has. Throws ApiError.
   * @param {string} day
   */
  async renewDay(day) {
    if (day === this.today) return false;
    const fresh = byId("filters", HTMLFormElement, await reread());
    Object.assign(this.#form.dataset, { today: fresh.dataset.today, year: fresh.dataset.year });
    find(this.#form, "[data-periods]").replaceChildren(...find(fresh, "[data-periods]").children);
    this.#show(this.state);
    return true;
  }

  #listen() {
    const form = this.#form;
    bindPopMenu(find(form, "[data-filters-more]", HTMLDetailsElement), find(form, "[data-filter-names]"));
    form.addEventListener("submit", (event) => event.preventDefault());
    for (const name of DIMS) {
      const field = selectOf(form, name);
      field.addEventListener("change", () => (field.value === SEVERAL ? this.#chooseSeveral(name) : this.set({ [name]: field.value })));
      find(form, `[data-clear="${name}"]`).addEventListener("click", () => { this.set({ [name]: "" }); field.focus(); });
    }
    window.addEventListener("popstate", () => this.#follow());
  }

  /** @param {import("./filter_names.js").Dim} name */
  async #chooseSeveral(name) {
    const field = selectOf(this.#form, name);
    const before = this.state[name];
    field.value = before;
    const names = [...field.options].map((option) => option.value).filter((value) => value && !value.includes(WITHOUT));
    const chosen = await askForNames(name, names, namesIn(before));
    field.focus();
    if (chosen) this.set({ [name]: joined(chosen) });
  }

  #follow() {
    this.state = this.#read();
    this.#options.onChange(this.state);
  }

  #read() {
    const state = readState(location.search, this.#options.usual, this.calendar);
    replaceQuery(tidied(location.search, state));
    this.#show(state);
    return state;
  }

  /** @param {State} state */
  #show(state) {
    const span = spanOf(state, this.calendar);
    this.#periods.show(state, span);
    showNamesChosen(this.#form, state);
    sayFilters(this.#form, state, span);
  }
}

/**
 * This page's address with some parameters changed.
 * @param {Changes} changes
 * @param {State} state
 * @param {Options} options
 * @param {Calendar} calendar
 */
function addressWith(changes, state, { usual, drops = [] }, calendar) {
  const others = new URLSearchParams(location.search);
  const filtered = NAMES.some((name) => name in changes);
  for (const name of [...NAMES, ...UNNAMED, ...(filtered ? drops : [])]) others.delete(name);
  for (const [name, value] of Object.entries(changes)) {
    if (NAMES.includes(name)) continue;
    if (value == null || value === "") others.delete(name);
    else others.set(name, value);
  }
  /** @type {Changes} */
  const given = { ...state, ...changes };
  const [model, client, purpose] = DIMS.map((dim) => given[dim] ?? "");
  const asked = queryOf({ period: given.period ?? "", from: given.from ?? "", to: given.to ?? "", model, client, purpose });
  const query = queryOf(readState(String(asked), usual, calendar), usual);
  for (const [name, value] of others) query.append(name, value);
  return String(query) ? `${location.pathname}?${query}` : location.pathname;
}

/** Offers the existing names; call it again when there may be new ones. */
export async function showNames() {
  const form = byId("filters", HTMLFormElement);
  try {
    const { models, clients, purposes } = await loadNames();
    const known = { model: models, client: clients, purpose: purposes };
    for (const dim of DIMS) offer(selectOf(form, dim), dim, known[dim].map((name) => name || WITHOUT));
  } catch {
    // The pickers then offer only the chosen name; the main part of the page reports the error.
  }
}

/**
 * @param {HTMLSelectElement} select
 * @param {import("./filter_names.js").Dim} dim
 * @param {string[]} names
 */
function offer(select, dim, names) {
  const { value } = select;
  const [all, several] = [select.options[0], ...findAll(select, "[data-several]", HTMLOptionElement)];
  const known = value && !names.includes(value) ? [value, ...names] : names;
  // Disabled until then, since the dialog takes its names from here.
  several.disabled = false;
  select.replaceChildren(all, ...known.map((name) => new Option(labelOf(dim, name), name)), several);
  select.value = value;
}

/**
 * @param {HTMLFormElement} form
 * @param {State} state
 */
function showNamesChosen(form, state) {
  const chosen = DIMS.filter((dim) => state[dim]).length;
  find(form, "[data-filters-more]").toggleAttribute("data-chosen", chosen > 0);
  find(form, "[data-filters-more] [data-count]").textContent = chosen ? ` · ${whole(chosen)}` : "";
  for (const dim of DIMS) {
    const select = selectOf(form, dim);
    const value = state[dim];
    if (value && ![...select.options].some((option) => option.value === value)) select.add(new Option(labelOf(dim, value), value), select.options.length - 1);
    select.value = value;
    select.title = namesIn(value).length > 1 ? listed(namesIn(value)) : "";
    select.parentElement?.toggleAttribute("data-chosen", Boolean(value));
    find(form, `[data-clear="${dim}"]`).hidden = !value;
  }
}

/**
 * @param {HTMLFormElement} form
 * @param {string} name
 */
const selectOf = (form, name) => fieldOf(form, name, HTMLSelectElement);
