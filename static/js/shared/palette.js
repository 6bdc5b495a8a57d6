// The command palette: a text finds pages, periods, names, saved views, records and actions. `palette_keys.js` loads it when it is
// first opened.

import { namedEntries, typedEntries, standingEntries } from "./palette_entries.js";
import { fill, gettext, ngettext } from "./i18n.js";
import { byId, copyOf, find, findAll, targetOf } from "./page_elements.js";

/** @typedef {import("./palette_entries.js").Entry} Entry */

// Of each group, so that many models do not hide the rest; how many more there are is said below them.
const MOST = 12;
const palette = byId("palette", HTMLDialogElement);
const field = find(palette, "input", HTMLInputElement);
const list = byId("palette-list");
const said = find(palette, "[data-said]");
const failed = find(palette, "[data-failed]");
const option = byId("palette-option", HTMLTemplateElement);
/** @type {Entry[]} */
let entries = [];
/** @type {Entry[]} */
let shown = [];
/** @type {Map<string, number>} How many entries of a group are not shown, by its name. */
let left = new Map();
let place = 0;

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

/**
 * Shows the entries for what is typed: at first those that this page has, then also names and views.
 * @param {boolean} isChosen Whether the first one is chosen already.
 */
export async function show(isChosen) {
  entries = standingEntries();
  draw();
  if (isChosen) run(shown[0]);
  try {
    entries = [...standingEntries(), ...(await namedEntries())];
    if (palette.open) drawAgain();
  } catch (error) {
    failed.textContent = error.message;
    failed.hidden = false;
  }
}

/** Shows entries that came meanwhile; who has chosen one of those before keeps it. */
function drawAgain() {
  const chosen = place ? shown[place] : undefined;
  draw();
  if (chosen) select(shown.findIndex(({ group, label }) => group === chosen.group && label === chosen.label));
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
  const matching = entries.filter((entry) => words.every((word) => `${entry.group} ${entry.label} ${entry.words ?? ""}`.toLowerCase().includes(word)));
  const isLater = (/** @type {Entry} */ { label }) => Number(!label.toLowerCase().startsWith(text.toLowerCase()));
  const groups = [...grouped(matching)];
  const some = groups.flatMap(([, group]) => group.sort((one, other) => isLater(one) - isLater(other)).slice(0, MOST));
  left = new Map(groups.map(([name, group]) => [name, Math.max(0, group.length - MOST)]));
  shown = [...some, ...(text ? typedEntries(text, matching.length > 0) : [])];
  drawGroups();
  select(0);
  const results = fill(ngettext("%(count)s result", "%(count)s results", shown.length), { count: shown.length });
  said.textContent = [results, ...[...left].filter(([, count]) => count).map(([name, count]) => `${name}: ${moreWords(count)}`)].join(". ");
}

/** @param {number} count */
const moreWords = (count) => fill(gettext("%(count)s more; type to find them"), { count });

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
    const more = find(group, "[data-more]");
    const count = left.get(name) ?? 0;
    more.hidden = !count;
    more.textContent = count ? moreWords(count) : "";
    group.append(more);
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
