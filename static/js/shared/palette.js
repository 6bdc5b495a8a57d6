// The command palette of every page: a text finds pages, periods, names, saved views, records and actions.

import { namedEntries, typedEntries, standingEntries } from "./palette_entries.js";
import { bindKeys, bindPairs, showKeys } from "./keys.js";
import { fill, ngettext } from "./i18n.js";
import { byId, copyOf, find, findAll, targetOf } from "./page_elements.js";
import { leaveMenuOf } from "./pop_menu.js";

/** @typedef {import("./palette_entries.js").Entry} Entry */

// Of each group, so that many models do not hide the rest.
const MOST = 8;
const palette = byId("palette", HTMLDialogElement);
const field = find(palette, "input", HTMLInputElement);
const list = byId("palette-list");
const said = find(palette, "[data-said]");
const failed = find(palette, "[data-failed]");
const option = byId("palette-option", HTMLTemplateElement);
/** @type {Record<string, string>} */
const PAGES = { o: "/", r: "/records", u: "/runs", s: "/config" };
/** @type {Entry[]} */
let entries = [];
/** @type {Entry[]} */
let shown = [];
let place = 0;

for (const button of findAll(document, "[data-palette]")) button.addEventListener("click", () => { leaveMenuOf(button); open(); });
for (const key of findAll(document, "[data-command-key]")) if (navigator.platform.startsWith("Mac")) key.textContent = "⌘";
document.addEventListener("keydown", (event) => {
  if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
  // The browser would search the web.
  event.preventDefault();
  if (palette.open) palette.close();
  else open();
});
bindPairs("g", Object.fromEntries(Object.entries(PAGES).map(([key, path]) => [key, () => location.assign(path)])));
bindKeys({ "?": showKeys });
field.addEventListener("input", draw);
field.addEventListener("keydown", (event) => {
  const steps = /** @type {Record<string, number>} */ ({ ArrowDown: place + 1, ArrowUp: place - 1, PageDown: place + MOST, PageUp: place - MOST });
  if (event.isComposing) return;
  if (event.key in steps) select(steps[event.key]);
  else if (event.key === "Enter") run(shown[place]);
  else return;
  event.preventDefault();
});
list.addEventListener("click", (event) => {
  const chosen = targetOf(event).closest("[role=option]");
  if (chosen) run(shown[Number(chosen.dataset.place)]);
});
// A click outside of its content is a click on the page behind it.
palette.addEventListener("click", (event) => { if (targetOf(event) === palette) palette.close(); });

async function open() {
  // A dialog that asks for something has to be answered first.
  if (document.querySelector("dialog:modal:not(#record, #keys)")) return;
  byId("keys", HTMLDialogElement).close();
  field.value = "";
  failed.hidden = true;
  entries = standingEntries();
  draw();
  palette.showModal();
  try {
    entries = [...standingEntries(), ...(await namedEntries())];
    if (palette.open) draw();
  } catch (error) {
    failed.textContent = error.message;
    failed.hidden = false;
  }
}

/** @param {Entry | undefined} entry */
function run(entry) {
  if (!entry) return;
  palette.close();
  entry.run();
}

/** Shows the entries that have every word of the text, by group; those that begin with it come first. */
function draw() {
  const text = field.value.trim();
  const words = text.toLowerCase().split(/\s+/);
  const matching = entries.filter((entry) => words.every((word) => `${entry.group} ${entry.label}`.toLowerCase().includes(word)));
  const isLater = (/** @type {Entry} */ { label }) => Number(!label.toLowerCase().startsWith(text.toLowerCase()));
  const some = [...grouped(matching).values()].flatMap((group) => group.sort((one, other) => isLater(one) - isLater(other)).slice(0, MOST));
  shown = [...some, ...(text ? typedEntries(text) : [])];
  drawGroups();
  select(0);
  said.textContent = fill(ngettext("%(count)s result", "%(count)s results", shown.length), { count: shown.length });
}

/** @param {Entry[]} given */
function grouped(given) {
  /** @type {Map<string, Entry[]>} */
  const groups = new Map();
  for (const entry of given) groups.set(entry.group, [...(groups.get(entry.group) ?? []), entry]);
  return groups;
}

function drawGroups() {
  const template = byId("palette-group", HTMLTemplateElement);
  let number = 0;
  const groups = [...grouped(shown)].map(([name, members]) => {
    const group = copyOf(template);
    const title = find(group, "[data-title]");
    title.id = `palette-group-${name.replace(/\s/g, "-")}`;
    title.textContent = name;
    group.setAttribute("aria-labelledby", title.id);
    group.append(...members.map((entry) => optionOf(entry, number++)));
    return group;
  });
  list.replaceChildren(...groups);
}

/**
 * @param {Entry} entry
 * @param {number} number
 */
function optionOf(entry, number) {
  const row = copyOf(option);
  row.id = `palette-${number}`;
  row.dataset.place = String(number);
  find(row, "[data-label]").textContent = entry.label;
  find(row, "[data-hint]").textContent = entry.hint ?? "";
  return row;
}

/** @param {number} wanted */
function select(wanted) {
  place = Math.max(0, Math.min(shown.length - 1, wanted));
  for (const row of findAll(list, "[role=option]")) row.setAttribute("aria-selected", String(row.dataset.place === String(place)));
  const row = list.querySelector("[aria-selected=true]");
  if (row) field.setAttribute("aria-activedescendant", row.id);
  else field.removeAttribute("aria-activedescendant");
  row?.scrollIntoView({ block: "nearest" });
}
