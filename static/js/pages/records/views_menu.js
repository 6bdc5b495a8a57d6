// The saved views: filters, search and order of the list under a name.

import { at } from "../../shared/addresses.js";
import { get, post } from "../../shared/api.js";
import { onSubmit, sayToForm } from "../../shared/form_fields.js";
import { fill, gettext } from "../../shared/i18n.js";
import { byId, copyOf, fieldOf, find, targetOf } from "../../shared/page_elements.js";
import { bindPopMenu } from "../../shared/pop_menu.js";

/** @typedef {{id: number, name: string, query: string}} View */

const PASSING = ["page", "record"];
const menu = byId("views", HTMLDetailsElement);
const list = find(menu, "ul");
const none = find(menu, "[data-none]");
const said = find(menu, "[data-said]");
const undo = find(menu, "[data-undo]", HTMLButtonElement);
const form = find(menu, "form", HTMLFormElement);
const field = fieldOf(form, "name");
/** @type {View[]} */
let views = [];
let loads = 0;
/** The id of the view that was chosen last: several may have the same filters. */
let chosen = 0;
/** @type {(() => Promise<{message: string}>) | null} Takes back the last change. */
let takeBack = null;

/**
 * Wires the menu; `show(query)` shows the list of an address.
 * @param {(query: string) => void} show
 */
export function bindViews(show) {
  bindPopMenu(menu);
  menu.addEventListener("toggle", () => { if (menu.open) open(); });
  list.addEventListener("click", (event) => {
    const target = targetOf(event);
    const view = views.find(({ id }) => String(id) === target.closest("li")?.dataset.id);
    if (!view) return;
    if (target.closest("[data-delete]")) remove(view);
    else if (target.closest("a") && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      menu.open = false;
      find(menu, "summary").focus();
      chosen = view.id;
      show(view.query);
    }
  });
  undo.addEventListener("click", () => attempt(restore));
  onSubmit(form, save);
}

async function open() {
  say("");
  sayToForm(form, "");
  await attempt(load);
}

async function load() {
  loads += 1;
  const number = loads;
  const { items } = await get("/api/views");
  // An answer that comes late must not replace a newer one.
  if (number !== loads) return;
  views = items;
  draw();
}

function draw() {
  none.hidden = views.length > 0;
  const template = find(menu, "template", HTMLTemplateElement);
  const shown = current();
  const same = views.filter(({ query }) => query === shown);
  const now = same.find(({ id }) => id === chosen) ?? (same.length === 1 ? same[0] : undefined);
  list.replaceChildren(...views.map((view) => rowOf(template, view, view === now)));
}

/**
 * @param {HTMLTemplateElement} template
 * @param {View} view
 * @param {boolean} isCurrent
 */
function rowOf(template, view, isCurrent) {
  const row = copyOf(template);
  const link = find(row, "a", HTMLAnchorElement);
  row.dataset.id = String(view.id);
  link.href = at(view.query ? `/records?${view.query}` : "/records");
  link.textContent = view.name;
  if (isCurrent) link.setAttribute("aria-current", "true");
  find(row, "[data-delete]").ariaLabel = fill(gettext("Delete the view “%(name)s”"), view);
  return row;
}

/** The filters, the search and the order of the address. */
function current() {
  const query = new URLSearchParams(location.search);
  for (const name of PASSING) query.delete(name);
  return String(query);
}

/** Stores what is shown; a name that is there gets the new filters. */
async function save() {
  const name = field.value.trim().replace(/\s+/g, " ");
  const same = views.find((view) => view.name === name);
  const { view, message } = await post(same ? `/api/views/${same.id}` : "/api/views", { name, query: current() });
  chosen = view.id;
  field.value = "";
  await load();
  const isChanged = same && same.query !== current();
  say(isChanged ? fill(gettext("The view “%(name)s” has the filters of this list now."), { name }) : message, isChanged ? () => post(`/api/views/${same.id}`, { query: same.query }) : null);
}

/** @param {View} view */
async function remove(view) {
  await attempt(async () => {
    const { message } = await post(`/api/views/${view.id}/delete`);
    await load();
    say(message, () => post("/api/views", view));
    undo.focus();
  });
}

async function restore() {
  if (!takeBack) return;
  const { message } = await takeBack();
  await load();
  say(message);
  field.focus();
}

/**
 * @param {string} message
 * @param {(() => Promise<{message: string}>) | null} back Takes the change back.
 */
function say(message, back = null) {
  said.textContent = message;
  takeBack = back;
  undo.hidden = !back;
}

/** @param {() => Promise<void>} act */
async function attempt(act) {
  try {
    await act();
  } catch (error) {
    say(error.message);
  }
}
