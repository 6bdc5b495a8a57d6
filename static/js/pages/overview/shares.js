// The tables by model, by client and by purpose: the sums of each and its share of all credits. A click filters by a row, or by none again.
// Sums have no filter for the calls without a purpose alone, so these rows lead to their lists.

import { daysOf, isArchived } from "./figures.js";
import { beforeWords } from "./unknown_days.js";
import { labelOf, WITHOUT } from "../../shared/filter_names.js";
import { drawSpark } from "../../charts/sparks.js";
import { change, credits, DIGITS, percentChange, percentOf, share, shortChange, spent as spentOf, whole } from "../../shared/formats.js";
import { colourOf } from "../../shared/model_colours.js";
import { fill, gettext, listed, ngettext } from "../../shared/i18n.js";
import { copyOf, find, findAll, focused, isPhone, targetOf } from "../../shared/page_elements.js";
import { tableMenuIn } from "../../shared/table_menu.js";

// A phone has room for half of them.
const FIRST = isPhone() ? { model: 3, client: 3, purpose: 3 } : { model: 10, client: 6, purpose: 6 };
// Rows of a table that shows all names; the others are one sum.
const MOST = 200;
const UNKNOWN = gettext("purpose not known");

/** @typedef {import("../../shared/filter_names.js").Dim} Dim */
/** @typedef {NonNullable<NonNullable<Dims["others"]>[Dim]>} Others */
/**
 * @typedef {object} Listed The rows of a table.
 * @property {DimItem[]} items
 * @property {Others | undefined} unlisted
 * @property {PurposeItem[]} unknown The calls whose purpose is not known: a row outside of the shares.
 */
/**
 * @typedef {object} Over How the names changed.
 * @property {Record<string, EarlierItem> | undefined} [before] The earlier items by name, if there is a comparison.
 * @property {boolean} [isUnnamed] Whether the names of earlier calls are not known: no change is known either.
 * @property {Record<string, number[]> | undefined} [trend] The credits of each name over time.
 * @property {boolean} [isOpen] Whether the last point of the trends is not over yet.
 * @property {(values: number[]) => boolean[]} [unknown] Which points of a trend are not archived.
 */

/** @typedef {{first: string | undefined, isOpen: boolean, ledger: import("../../charts/ledger_days.js").Ledger | undefined, unknown: (values: number[]) => boolean[]}} Seen */

/**
 * The table in a part of the page; `onPick(name)` gets the clicked name (`WITHOUT` for no name), or "" to show all again.
 * `unnamed(isKnown)` is the address of the calls without a purpose, or of those whose purpose is not known.
 * @param {HTMLElement} part
 * @param {Dim} dim
 * @param {(name: string) => void} onPick
 * @param {(isKnown: boolean) => string} [unnamed]
 */
export function sharesOf(part, dim, onPick, unnamed) {
  const body = find(part, "tbody");
  /** @type {Listed} */
  let { items, unlisted, unknown } = listedIn([]);
  /** @type {Over} */
  let over = {};
  let chosen = "";
  let all = false;

  function draw() {
    const total = creditsOf(items, unlisted);
    const before = part.contains(document.activeElement) ? focused()?.textContent : null;
    const rows = items.slice(0, all ? MOST : FIRST[dim]).map((item) => rowOf({ part, dim, chosen, onPick, unnamed, over }, item, total));
    body.replaceChildren(...rows, ...unknown.map((item) => rowOfUnknown(part, item, unnamed)));
    find(part, "table").toggleAttribute("data-compared", Boolean(over.before));
    find(part, "table").toggleAttribute("data-trended", Object.values(over.trend ?? {}).some(({ length }) => length > 1));
    showOthers(part, { items, unlisted, all, first: FIRST[dim] });
    if (before) findAll(body, "button, a").find(({ textContent }) => textContent === before)?.focus();
  }

  find(part, "[data-more]").addEventListener("click", () => { all = true; draw(); focusOnRow(body, FIRST[dim]); });
  find(part, "[data-columns]").addEventListener("click", (event) => showColumns(part, targetOf(event)));
  tableMenuIn(part, () => [headsIn(part, over), ...items.map((item) => valuesOf(dim, item, creditsOf(items, unlisted), over)), ...unknown.map((item) => valuesOfUnknown(item, over))]);
  document.addEventListener("archive:theme", draw);
  return {
    /** @type {(dims: Dims, name: string, seen: Seen) => void} */
    show: ({ comparison, trend, ...given }, name, { first, isOpen, ledger, unknown: unknownPoints }) => {
      const isKnown = comparison?.totals.calls && isArchived(comparison, first);
      const days = isKnown ? daysOf(comparison) : null;
      const lacking = (days && ledger?.unknownWithin(days).count) || 0;
      ({ items, unlisted, unknown } = listedIn(given[dim], given.others?.[dim]));
      over = { before: isKnown ? comparison.items[dim] : undefined, isUnnamed: dim === "purpose" && (areUnnamed(comparison?.items[dim], items) || Boolean(days && ledger?.isStripped(days))), trend: trend?.[dim], isOpen, unknown: unknownPoints };
      find(part, "[data-unknown-before]").hidden = !lacking;
      find(part, "[data-unknown-before]").textContent = beforeWords(lacking);
      find(part, "table").toggleAttribute("data-unsure", lacking > 0);
      chosen = name;
      draw();
    },
  };
}

/**
 * Moves the focus to the name of a row: that of the button which shows it would be lost.
 * @param {HTMLElement} body
 * @param {number} place
 */
const focusOnRow = (body, place) => findAll(findAll(body, "tr")[place] ?? body, "button, a")[0]?.focus();

/**
 * Shows all columns in a box that scrolls, or again as many as there is room for.
 * @param {HTMLElement} part
 * @param {Element} button
 */
function showColumns(part, button) {
  const isWide = find(part, "table").toggleAttribute("data-wide");
  button.setAttribute("aria-pressed", String(isWide));
}

/**
 * @param {(DimItem | PurposeItem)[]} given
 * @param {Others} [unlisted]
 * @returns {Listed}
 */
const listedIn = (given, unlisted) => ({
  items: /** @type {DimItem[]} */ (given.filter(({ name }) => name !== null)), unlisted, unknown: given.filter(({ name }) => name === null),
});

/**
 * The credits of all names, also of those that the answer does not list.
 * @param {DimItem[]} items
 * @param {Others | undefined} unlisted
 */
const creditsOf = (items, unlisted) => items.reduce((sum, item) => sum + item.credits, unlisted?.credits ?? 0);

/**
 * The button that shows all rows, or the largest of very many, and then the sum of the others below them.
 * @param {HTMLElement} part
 * @param {{items: DimItem[], unlisted: Others | undefined, all: boolean, first: number}} given
 */
function showOthers(part, { items, unlisted, all, first }) {
  const count = Math.max(0, items.length - MOST) + (unlisted?.names ?? 0);
  const more = find(part, "[data-more]");
  more.hidden = all || items.length <= first;
  more.textContent = count
    ? fill(gettext("Show the largest %(count)s"), { count: whole(MOST) })
    : fill(gettext("Show all %(count)s"), { count: whole(items.length) });
  const line = find(part, "[data-others]");
  line.hidden = !count || !all;
  const others = [...items.slice(MOST), ...unlisted ? [unlisted] : []];
  const sum = others.every(({ amount }) => amount === null) ? null : creditsOf(items.slice(MOST), unlisted);
  line.textContent = fill(ngettext("%(count)s other: %(credits)s %(unit)s", "%(count)s others: %(credits)s %(unit)s", count), { count: whole(count), credits: credits(sum) });
}

/**
 * @param {{part: HTMLElement, dim: Dim, chosen: string, onPick: (name: string) => void, unnamed?: (isKnown: boolean) => string, over: Over}} table
 * @param {DimItem} item
 * @param {number} total
 */
function rowOf({ part, dim, chosen, onPick, unnamed, over: { before, isUnnamed, trend, isOpen = false, unknown } }, item, total) {
  const row = copyOf(find(part, "template", HTMLTemplateElement));
  const button = find(row, "button", HTMLButtonElement);
  const { name, credits: spent, calls, free } = item;
  find(row, "[data-name]").textContent = labelOf(dim, name);
  button.title = name;
  const asked = name || WITHOUT;
  button.setAttribute("aria-pressed", String(asked === chosen));
  button.addEventListener("click", () => onPick(asked === chosen ? "" : asked));
  const bar = find(row, "[data-bar]");
  bar.style.width = total ? `${(spent / total) * 100}%` : "0";
  if (dim === "model") for (const node of [bar, find(row, ".dot")]) node.style.backgroundColor = colourOf(name);
  const texts = { share: item.amount === null ? "–" : share(spent, total), credits: spentOf(item), calls: whole(calls), average: averageOf(item), free: share(free, calls) };
  for (const [key, text] of Object.entries(texts)) find(row, `[data-${key}]`).textContent = text;
  if (isUnnamed) showNoChange(find(row, "[data-change]"));
  else if (item.amount === null || wasUnknown(before?.[name])) find(row, "[data-change]").textContent = "–";
  else if (before) showChange(find(row, "[data-change]"), before[name], spent);
  const points = trend?.[name] ?? [];
  drawSpark(find(row, "[data-spark]"), points, isOpen, unknown?.(points));
  if (unnamed && !name) leadTo(row, unnamed(true));
  return row;
}

/**
 * The row of the calls whose purpose is not known, which is no part of the shares and no filter.
 * @param {HTMLElement} part
 * @param {PurposeItem} item
 * @param {(isKnown: boolean) => string} [unnamed]
 */
function rowOfUnknown(part, item, unnamed) {
  const row = copyOf(find(part, "template", HTMLTemplateElement));
  row.toggleAttribute("data-apart", true);
  find(row, "[data-name]").textContent = UNKNOWN;
  find(row, ".share-bar").remove();
  if (unnamed) leadTo(row, unnamed(false));
  const texts = { share: "–", credits: spentOf(item), change: "–", calls: whole(item.calls), average: averageOf(item), free: share(item.free, item.calls) };
  for (const [key, text] of Object.entries(texts)) find(row, `[data-${key}]`).textContent = text;
  return row;
}

/** @param {PurposeItem} item */
const averageOf = ({ amount, avg }) => (amount === null ? "–" : credits(avg));

/**
 * Makes the name of a row a link.
 * @param {HTMLElement} row
 * @param {string} address
 */
function leadTo(row, address) {
  const button = find(row, "button");
  const link = document.createElement("a");
  link.className = button.className;
  link.href = address;
  link.append(...button.childNodes);
  button.replaceWith(link);
}

/**
 * Whether no earlier call has a name, and some calls now do.
 * @param {Record<string, EarlierItem> | undefined} before
 * @param {DimItem[]} items
 */
const areUnnamed = (before, items) => before !== undefined && Object.keys(before).every((name) => !name) && items.some(({ name }) => name);

/**
 * Whether none of the earlier amounts is known, though not all calls were free.
 * @param {EarlierItem | undefined} before
 */
const wasUnknown = (before) => before !== undefined && before.credits === 0 && before.calls > before.free;

/** @param {HTMLElement} cell */
function showNoChange(cell) {
  cell.textContent = "–";
  cell.title = gettext("The purposes of the earlier calls are not known.");
}

/**
 * The change of a row since the earlier period, which its title says in words.
 * @param {HTMLElement} cell
 * @param {EarlierItem | undefined} before
 * @param {number} spent
 */
function showChange(cell, before, spent) {
  const earlier = before?.credits ?? 0;
  cell.textContent = before ? shortChange(earlier, spent) ?? (spent ? gettext("new") : "–") : gettext("new");
  const was = fill(gettext("was %(value)s"), { value: credits(earlier) });
  cell.title = listed([change(earlier, spent) ?? "", was].filter(Boolean));
}

/**
 * The columns as they are copied and saved: all names of the answer with their whole numbers, shares and changes in percent.
 * @param {HTMLElement} part
 * @param {Over} over
 */
function headsIn(part, { before }) {
  const [name, share, credits, change, , calls, average, free] = findAll(part, "thead th").map(({ textContent }) => textContent ?? "");
  return [name, `${share} (%)`, credits, ...before ? [`${change} (%)`] : [], calls, average, `${free} (%)`];
}

/**
 * @param {Dim} dim
 * @param {DimItem} item
 * @param {number} total
 * @param {Over} over
 */
function valuesOf(dim, { name, amount, credits: spent, calls, avg, free }, total, { before, isUnnamed }) {
  const isUnknown = amount === null;
  const changes = before ? [isUnnamed || isUnknown || wasUnknown(before[name]) ? null : percentChange(before[name]?.credits ?? 0, spent)] : [];
  const sums = isUnknown ? [null, null] : [percentOf(spent, total), rounded(spent)];
  return [labelOf(dim, name), ...sums, ...changes, calls, isUnknown ? null : rounded(avg), percentOf(free, calls)];
}

/**
 * @param {PurposeItem} item
 * @param {Over} over
 */
const valuesOfUnknown = ({ amount, credits: spent, calls, avg, free }, { before }) => [
  UNKNOWN, null, amount === null ? null : rounded(spent), ...before ? [null] : [], calls, amount === null ? null : rounded(avg), percentOf(free, calls),
];

/** @param {number | null | undefined} number */
const rounded = (number) => (number == null ? null : Number(number.toFixed(DIGITS)));
