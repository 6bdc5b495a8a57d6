// What the overview says of packages of credits.

import { credits, day } from "../../shared/formats.js";
import { fill, gettext, sentences } from "../../shared/i18n.js";

// A balance that is older than this, in milliseconds, is shown with the day on which it was read.
const FRESH = 2 * 24 * 60 * 60 * 1000;
// Of a package, what is unused at its end is worth a word from this share on.
const WORTH = 0.01;

/**
 * What ends first, what will probably be unused then, and how long the credits last.
 * @param {Packages} packages
 */
export function wordsOf({ items, lasts_until: until, read_at: at }) {
  const valid = items.filter(({ state }) => state === "valid");
  const ending = valid.filter(({ expires_at: end }) => end);
  const first = ending.length ? day(/** @type {string} */ (ending[0].expires_at)) : "";
  const amount = sum(ending.filter(({ expires_at: end }) => day(/** @type {string} */ (end)) === first).map(({ left }) => left));
  const wasted = ending.find(({ unused, size }) => unused !== null && unused > size * WORTH);
  const isOld = at !== null && Date.now() - Date.parse(at.replace(" ", "T")) > FRESH;
  return sentences([
    isOld ? fill(gettext("Read on %(day)s."), { day: day(at) }) : "",
    first ? fill(gettext("%(amount)s of them end on %(day)s."), { amount: credits(amount), day: first }) : "",
    wasted ? fill(gettext("At your pace %(amount)s will be unused on %(day)s."), { amount: credits(wasted.unused ?? 0), day: day(/** @type {string} */ (wasted.expires_at)) }) : "",
    until ? fill(gettext("At your pace they last until %(day)s."), { day: day(until) }) : "",
  ]);
}

/** @param {number[]} amounts */
const sum = (amounts) => amounts.reduce((all, one) => all + one, 0);
