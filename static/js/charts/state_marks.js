// The marks of the states of days: each has a colour, and a height or pattern, so that it does not depend on the colour.

import { unknownWords } from "./ledger_days.js";
import { element } from "./svg.js";

/** @type {Set<ShownState>} `chart_patterns.html` has their patterns. */
const PATTERNED = new Set(["unasked", "unreachable", "erased", "short", "unconfirmed", "surplus", "stripped", "promptless", "differing", "proved"]);
const LOW = 0.5;
const [ACROSS, DOWN] = [16, 12];

/**
 * One path with the marks of a state in these places.
 * @param {ShownState} state
 * @param {Box[]} places
 */
export function marksOf(state, places) {
  const path = element("path", { class: `state state-${state}`, d: places.map((place) => outlineOf(state, place)).join("") });
  if (PATTERNED.has(state)) path.setAttribute("fill", patternOf(state));
  return path;
}

/** @param {ShownState} state */
export const patternOf = (state) => `url(#fill-${state})`;

/**
 * An item of a legend: the mark of a state, and words.
 * @param {ShownState} state
 * @param {string} words
 */
export function legendItem(state, words) {
  const item = document.createElement("li");
  const picture = element("svg", { viewBox: `0 0 ${ACROSS} ${DOWN}`, class: "swatch", "aria-hidden": "true" });
  picture.append(marksOf(state, [{ x: 0, y: 0, width: ACROSS, height: DOWN }]));
  item.append(picture, words);
  return item;
}

/**
 * The items of a legend for the states of unknown days, each state once.
 * @param {(UnknownState | null | undefined)[]} states
 */
export const unknownLegend = (states) => [...new Set(states)].filter((state) => state != null).map((state) => legendItem(state, unknownWords(state)));

/**
 * @param {ShownState} state
 * @param {Box} place
 */
function outlineOf(state, { x, y, width, height }) {
  const top = state === "checked" ? y + height * LOW : y;
  // The line of an open day is drawn inside its place.
  const inset = state === "open" ? 0.5 : 0;
  const [across, down] = [width - 2 * inset, y + height - top - 2 * inset].map((length) => Math.max(0.5, length).toFixed(2));
  return `M${(x + inset).toFixed(2)},${(top + inset).toFixed(2)}h${across}v${down}h-${across}z`;
}
