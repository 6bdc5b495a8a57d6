// The colours of the models, and the names of models, clients and purposes in the whole archive.

import { ask } from "./page_reads.js";

/** @typedef {{models: string[], clients: string[], purposes: string[]}} Names */

const PLACES = 9;
// Nine colours that stay distinct with any kind of colour blindness, each at least 3:1 against the card of its theme.
const PALETTES = {
  light: ["#3896c4", "#5c1810", "#05755d", "#6e0088", "#ab8938", "#6965f4", "#37591b", "#9d6701", "#1630ba"],
  dark: ["#4ebfef", "#a2594f", "#2fae9a", "#9657aa", "#f7d881", "#898df0", "#98c283", "#ca943a", "#3364e6"],
};
const OTHERS = { light: "#81878d", dark: "#7b8187" };
// Places of the nine biggest recent models of the whole archive, so that filters do not change colours.
/** @type {Map<string, number>} */
let usual = new Map();
// Places of the nine biggest models that the page shows, once it has called `showModels`.
/** @type {Map<string, number> | null} */
let shown = null;
/** @type {Promise<Names> | undefined} */
let reading;

/** The name that stands for all models beyond the nine biggest. */
export const OTHER = "\0other";

/** The names of all models, clients and purposes, biggest first; read once. `colourOf` needs them. */
export function loadNames() {
  reading ??= read().catch((error) => { reading = undefined; throw error; });
  return reading;
}

/** Makes the next `loadNames` read the names again: a collection may have added new ones. */
export function forgetNames() {
  reading = undefined;
}

/**
 * Gives a colour to each of the nine biggest models of an answer of /api/dims: its usual one if it has one. The other models
 * are grey.
 * @param {Pick<DimItem, "name">[]} items
 */
export function showModels(items) {
  const biggest = items.slice(0, PLACES).map(({ name }) => name);
  // A selection of the models that are shown keeps their colours.
  if (!biggest.every((name) => shown?.has(name))) shown = placesFor(biggest, usual);
}

/**
 * Whether a model is among the nine biggest, which each have a colour.
 * @param {string} model
 */
export const isBig = (model) => places().has(model);

const theme = () => (document.documentElement.dataset.bsTheme === "dark" ? "dark" : "light");

/**
 * One of the nine colours in the current theme.
 * @param {number} place
 */
export const colourAt = (place) => PALETTES[theme()][place];

/**
 * The colour of a model in the current theme; `OTHER` and all models in it share one.
 * @param {string} model
 */
export function colourOf(model) {
  return isBig(model) ? colourAt(places().get(model) ?? 0) : OTHERS[theme()];
}

const places = () => shown ?? usual;

async function read() {
  const [{ model, client, purpose }, { model: recent }] = await Promise.all([ask("names"), ask("recent")]);
  const [models, clients, named, newer] = [model, client, purpose, recent].map((items) => items.map((/** @type {DimItem | PurposeItem} */ { name }) => name));
  // As a filter, calls without a purpose and those whose purpose is not known are the same.
  const purposes = [...new Set(named.map((/** @type {string | null} */ name) => name ?? ""))];
  // Recently used models come before those used most over all years.
  usual = placesFor([...new Set([...newer, ...models])].slice(0, PLACES));
  shown = null;
  return { models, clients, purposes };
}

/**
 * Models with a kept place keep it. Each other one takes the place of its hash, or the next free one, in the order of the
 * names, so that a change of ranks changes no colour.
 * @param {string[]} models
 * @param {Map<string, number>} [kept]
 */
function placesFor(models, kept = new Map()) {
  const given = new Map(models.filter((model) => kept.has(model)).map((model) => [model, kept.get(model) ?? 0]));
  const taken = new Set(given.values());
  for (const model of models.filter((name) => !kept.has(name)).sort()) {
    let place = hash(model) % PLACES;
    while (taken.has(place)) place = (place + 1) % PLACES;
    taken.add(place);
    given.set(model, place);
  }
  return given;
}

/** @param {string} text */
function hash(text) {
  let value = 2166136261;
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 16777619) >>> 0;
  return value;
}
