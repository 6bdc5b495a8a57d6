// Finds a text in a prompt as the server does: A to Z in either case, everything else exactly.

import { excerpt } from "../../shared/formats.js";

// The number of characters of the prompt before its first hit, so that the hit is visible.
const LEAD = 30;
const LENGTH = 240;
// Thousands of marks would make the page slow.
const MOST = 1000;

/**
 * The pattern that finds a text in prompts; null for no text.
 * @param {string} text
 */
export function patternOf(text) {
  if (!text) return null;
  const exact = text.replaceAll("\0", "\ufffd").replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return new RegExp(exact.replace(/[A-Za-z]/g, (letter) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`), "g");
}

/**
 * A text as nodes, its hits marked.
 * @param {string} text
 * @param {RegExp | null} pattern
 */
export function marked(text, pattern) {
  const nodes = [];
  let end = 0;
  for (const { 0: hit, index } of pattern ? text.matchAll(pattern) : []) {
    if (nodes.length >= 2 * MOST) break;
    const mark = document.createElement("mark");
    mark.textContent = hit;
    nodes.push(text.slice(end, index), mark);
    end = index + hit.length;
  }
  nodes.push(text.slice(end));
  return nodes;
}

/**
 * The part of a prompt around its first hit, on one line; its beginning if there is no hit.
 * @param {string} text
 * @param {RegExp | null} pattern
 */
export function excerptAround(text, pattern) {
  const at = pattern ? text.search(pattern) : -1;
  if (at < 0) return [excerpt(text)];
  const from = at <= LEAD ? 0 : at - LEAD;
  const to = at + LENGTH;
  // A cut must not split a surrogate pair.
  const part = text.slice(from, to).replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
  return [from ? "…" : "", ...marked(part, pattern), to < text.length ? "…" : ""];
}
