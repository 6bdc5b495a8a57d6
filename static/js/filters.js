// The filters of Overview and Records: period, model, client. The address holds them, so that they can be shared,
// reloaded, and gone back to.

import { dayFrom } from "archive/formats";
import { loadNames } from "archive/models";
import { gettext } from "archive/words";

const PERIODS = ["today", "yesterday", "7", "30", "90", "month", "last-month", "all", "custom"];
const NAMES = ["period", "from", "to", "model", "client", "no_model", "no_client"];
const YES = /^\s*(1|true|on)\s*$/i;
const DEFAULTS = { period: "30" };
const TYPING = 600;

/** The model or client of the state that asks for the calls without one: no name has a NUL. */
export const WITHOUT = "\0";

/** The filters that an address asks for; what is unknown is as `defaults` have it. */
export function readState(search = location.search, defaults = DEFAULTS) {
  const given = new URLSearchParams(search);
  const text = (name) => given.get(name) ?? "";
  const name = (dim) => (YES.test(text(`no_${dim}`)) ? WITHOUT : text(dim));
  const named = { model: name("model"), client: name("client") };
  const [from, to] = [text("from"), text("to")].map((value) => (isDay(value) ? value : ""));
  // Days alone, as the API takes them, are a span of one's own.
  const usual = !text("period") && (from || to) ? "custom" : defaults.period;
  const period = PERIODS.includes(text("period")) ? text("period") : usual;
  if (period !== "custom") return { period, from: "", to: "", ...named };
  if (!from && !to) return { period: defaults.period, from: "", to: "", ...named };
  return from && to && from > to ? { period, from: to, to: from, ...named } : { period, from, to, ...named };
}

/** The days that the API is asked for; `today` is the server's. */
export function spanOf({ period, from, to }, today) {
  const month = `${today.slice(0, 7)}-01`;
  const last = dayFrom(month, -1);
  switch (period) {
    case "today": return { from: today, to: today };
    case "yesterday": return { from: dayFrom(today, -1), to: dayFrom(today, -1) };
    case "month": return { from: month, to: today };
    case "last-month": return { from: `${last.slice(0, 7)}-01`, to: last };
    case "all": return {};
    case "custom": return { ...(from && { from }), ...(to && { to }) };
    default: return { from: dayFrom(today, 1 - Number(period)), to: today };
  }
}

/** The model and client of a state as parameters: `no_client=1` for the calls without one. */
export function namesOf({ model, client }) {
  const chosen = Object.entries({ model, client }).filter(([, value]) => value);
  return Object.fromEntries(chosen.map(([name, value]) => (value === WITHOUT ? [`no_${name}`, "1"] : [name, value])));
}

/** The filters as parameters of an address, without what is as `defaults` have it. */
export function queryOf(state, defaults = DEFAULTS) {
  const given = { ...state, model: "", client: "", ...namesOf(state) };
  const names = NAMES.filter((name) => given[name] && !(name === "period" && given.period === defaults.period));
  return new URLSearchParams(names.map((name) => [name, given[name]]));
}

/**
 * Wires `filters.html`. `onChange(state)` follows every change of the address: by a picker, by `set`, by back or forward.
 * `drops` names the other parameters that a change of a filter takes away (the page number, say).
 */
export const bindFilters = (form, options) => new Filters(form, options);

class Filters {
  #form;
  #fields;
  #options;
  #typing;
  state;
  /** The server's day; a page that stays open sets it anew. */
  today;

  constructor(form, { defaults = DEFAULTS, onChange, drops = [] }) {
    this.#form = form;
    this.#fields = form.elements;
    this.#options = { defaults, onChange, drops };
    this.today = form.dataset.today;
    // HTML cannot write this value.
    for (const option of form.querySelectorAll("[data-without]")) option.value = WITHOUT;
    this.#listen();
    this.#read();
    showNames(form);
  }

  get span() {
    return spanOf(this.state, this.today);
  }

  /** Changes filters, and whatever other parameter is named; what is empty or null is taken away. */
  set = (changes, { replace = false } = {}) => {
    const address = addressWith(changes, this.state, this.#options);
    if (address === location.pathname + location.search) return;
    history[replace ? "replaceState" : "pushState"](null, "", address);
    this.#follow();
  };

  #listen() {
    const [form, fields] = [this.#form, this.#fields];
    form.addEventListener("submit", (event) => { event.preventDefault(); this.#takeDays(); });
    fields.period.addEventListener("change", () => this.#choosePeriod());
    for (const name of ["from", "to"]) fields[name].addEventListener("change", () => this.#typeDay());
    for (const name of ["model", "client"]) {
      fields[name].addEventListener("change", () => this.set({ [name]: fields[name].value }));
      form.querySelector(`[data-clear="${name}"]`).addEventListener("click", () => { this.set({ [name]: "" }); fields[name].focus(); });
    }
    window.addEventListener("popstate", () => this.#follow());
  }

  #follow() {
    this.#read();
    this.#options.onChange(this.state);
  }

  #read() {
    clearTimeout(this.#typing);
    this.state = readState(location.search, this.#options.defaults);
    showState(this.#form, this.state, this.span);
  }

  #choosePeriod() {
    const period = this.#fields.period.value;
    // A span of one's own begins as the one that is shown.
    const shown = { ...spanOf({ period: "30" }, this.today), ...this.span };
    this.set(period === "custom" ? { period, ...shown } : { period });
  }

  /** Each keystroke in a date may make a valid one: the last one counts. */
  #typeDay() {
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.#takeDays(), TYPING);
  }

  #takeDays() {
    const { from, to } = this.#fields;
    clearTimeout(this.#typing);
    if (!from.checkValidity() || !to.checkValidity() || !(from.value || to.value)) return;
    this.set({ period: "custom", from: from.value, to: to.value });
  }
}

/** This page's address with some parameters changed. */
function addressWith(changes, state, { defaults, drops }) {
  const others = new URLSearchParams(location.search);
  const filtered = NAMES.some((name) => name in changes);
  for (const name of [...NAMES, ...(filtered ? drops : [])]) others.delete(name);
  for (const [name, value] of Object.entries(changes)) {
    if (NAMES.includes(name)) continue;
    if (value == null || value === "") others.delete(name);
    else others.set(name, value);
  }
  const given = { ...state, ...changes };
  const asked = new URLSearchParams(NAMES.map((name) => [name, given[name] ?? ""]));
  const query = queryOf(readState(asked, defaults), defaults);
  for (const [name, value] of others) query.append(name, value);
  return String(query) ? `${location.pathname}?${query}` : location.pathname;
}

/** Offers the names that there are; call it again when there may be new ones. */
export async function showNames(form) {
  try {
    const { models, clients } = await loadNames(form.dataset.today);
    for (const [name, names] of [["model", models], ["client", clients]]) offer(form.elements[name], names.map((known) => known || WITHOUT));
  } catch {
    // The pickers then offer what is chosen alone; what the page is for says what failed.
  }
}

function offer(select, names) {
  const { value } = select;
  const all = select.options[0];
  const known = value && !names.includes(value) ? [value, ...names] : names;
  select.replaceChildren(all, ...known.map((name) => optionOf(select, name)));
  select.value = value;
}

function optionOf({ name: dim }, name) {
  if (name !== WITHOUT) return new Option(name, name);
  return new Option(dim === "model" ? gettext("no model") : gettext("no client"), name);
}

function showState(form, state, span) {
  const { elements: fields } = form;
  fields.period.value = state.period;
  form.querySelector("[data-custom]").hidden = state.period !== "custom";
  for (const name of ["from", "to"]) fields[name].value = span[name] ?? "";
  for (const name of ["model", "client"]) {
    const value = state[name];
    const select = fields[name];
    if (value && ![...select.options].some((option) => option.value === value)) select.append(optionOf(select, value));
    select.value = value;
    select.parentElement.toggleAttribute("data-chosen", Boolean(value));
    form.querySelector(`[data-clear="${name}"]`).hidden = !value;
  }
}

function isDay(text) {
  // As the fields have it: a chart of eight thousand years helps nobody.
  if (!/^2\d{3}-\d\d-\d\d$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  // "2026-02-30" is read as the 2nd of March by some.
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
