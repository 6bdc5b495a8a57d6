// The dialog that selects several models, clients or purposes.

import { gettext } from "./i18n.js";
import { byId, copyOf, find, findAll } from "./page_elements.js";

/** @typedef {import("./filter_names.js").Dim} Dim */

// As many as the API accepts.
const MOST = 100;
const dialog = byId("several", HTMLDialogElement);
const form = find(dialog, "form", HTMLFormElement);
const finder = find(dialog, "[data-find]", HTMLInputElement);
const list = find(dialog, "[data-names]");
const none = find(dialog, "[data-none]");
const error = find(dialog, "[data-form-error]");
/** @type {Record<Dim, string>} */
const TITLES = { model: gettext("Several models"), client: gettext("Several clients"), purpose: gettext("Several purposes") };
/** @type {((names: string[] | null) => void) | null} */
let answer = null;

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const names = chosen();
  error.hidden = names.length <= MOST;
  if (error.hidden) settle(names);
});
finder.addEventListener("input", narrow);
find(dialog, "[data-cancel]").addEventListener("click", () => dialog.close());
dialog.addEventListener("close", () => settle(null));

/**
 * The names that the reader selects; null if the dialog is left.
 * @param {Dim} dim
 * @param {string[]} names
 * @param {string[]} before Those that are selected already.
 * @returns {Promise<string[] | null>}
 */
export function askForNames(dim, names, before) {
  find(dialog, "h2").textContent = TITLES[dim];
  const template = byId("several-name", HTMLTemplateElement);
  list.replaceChildren(...[...new Set([...before, ...names])].map((name) => rowOf(template, name, before.includes(name))));
  finder.value = "";
  error.hidden = true;
  narrow();
  dialog.showModal();
  return new Promise((resolve) => { answer = resolve; });
}

/** @param {string[] | null} names */
function settle(names) {
  const tell = answer;
  answer = null;
  dialog.close();
  tell?.(names);
}

/**
 * @param {HTMLTemplateElement} template
 * @param {string} name
 * @param {boolean} isChosen
 */
function rowOf(template, name, isChosen) {
  const row = copyOf(template);
  const box = find(row, "input", HTMLInputElement);
  box.value = name;
  box.checked = isChosen;
  find(row, "[data-name]").textContent = name;
  return row;
}

const boxes = () => findAll(list, "input", HTMLInputElement);
const chosen = () => boxes().filter((box) => box.checked).map((box) => box.value);

/** Shows the names that contain the text, and those that are selected. */
function narrow() {
  const text = finder.value.trim().toLowerCase();
  let shown = 0;
  for (const box of boxes()) {
    const row = box.closest("li");
    if (row) row.hidden = !box.checked && !box.value.toLowerCase().includes(text);
    shown += Number(!row?.hidden);
  }
  none.hidden = shown > 0;
}
