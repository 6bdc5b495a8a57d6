// Which colour a model has, and the names that there are in the whole archive.

import { ask } from "./reads.js";

/** @typedef {{models: string[], clients: string[]}} Names */

const PLACES = 9;
// Nine that are told apart with any kind of colour-blindness, each at least 3:1 against the card of its theme.
const PALETTES = {
  light: ["#3896c4", "#5c1810", "#05755d", "#6e0088", "#ab8938", "#6965f4", "#37591b", "#9d6701", "#1630ba"],
  dark: ["#4ebfef", "#a2594f", "#9bf7d5", "#9657aa", "#f7d881", "#898df0", "#98c283", "#ca943a", "#3364e6"],
};
const OTHERS = { light: "#81878d", dark: "#7b8187" };
// Of the nine biggest of late in the whole archive, so that no filter changes them.
/** @type {Map<string, number>} */
let usual = new Map();
// Of the nine biggest of what is shown, once the page has told that.
/** @type {Map<string, number> | null} */
let shown = null;
/** @type {Promise<Names> | undefined} */
let reading;

/** What the models beyond the nine biggest stand under. */
export const OTHER = "\0other";

/** The names of all models and clients, biggest first; read once. From then on `colourOf` knows the models. */
export function loadNames() {
  reading ??= read().catch((error) => { reading = undefined; throw error; });
  return reading;
}

/** Has the names read again when they are next asked for: a collection may have brought new ones. */
export function forgetNames() {
  reading = undefined;
}

/**
 * Gives the nine biggest of what is shown, the models of an answer of /api/dims, a colour each: the usual one of those that
 * have one. Where there are more models than nine, that takes all colours, so that the others can only be grey.
 * @param {Pick<DimItem, "name">[]} items
 */
export function showModels(items) {
  const biggest = items.slice(0, PLACES).map(({ name }) => name);
  // Who picks some of what is shown finds them in the same colours.
  if (!biggest.every((name) => shown?.has(name))) shown = placesFor(biggest, usual);
}

/**
 * Whether a model is among the nine biggest, which have a colour of their own.
 * @param {string} model
 */
export const isBig = (model) => places().has(model);

/**
 * The colour of a model in the present theme; one and the same for `OTHER` and all that is among it.
 * @param {string} model
 */
export function colourOf(model) {
  const theme = document.documentElement.dataset.bsTheme === "dark" ? "dark" : "light";
  return isBig(model) ? PALETTES[theme][places().get(model) ?? 0] : OTHERS[theme];
}

const places = () => shown ?? usual;

async function read() {
  const [{ model, client }, { model: recent }] = await Promise.all([ask("names"), ask("recent")]);
  const [models, clients, newer] = [model, client, recent].map((items) => items.map((/** @type {DimItem} */ { name }) => name));
  // What is used now comes before what was used most in all the years.
  usual = placesFor([...new Set([...newer, ...models])].slice(0, PLACES));
  shown = null;
  return { models, clients };
}

/**
 * Who has a place keeps it. Each of the rest takes the one that its name leads to, or the next free one; in the order of the
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
