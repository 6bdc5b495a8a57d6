// Sentences with links in them: words and links as pieces, and how they come into a page.

import { isChinese } from "./i18n.js";

/** @typedef {string | {text: string, href: string}} Piece */

/**
 * A text with its `%(name)s` filled in with pieces.
 * @param {string} text
 * @param {Record<string, Piece | Piece[]>} values
 * @returns {Piece[]}
 */
export const pieced = (text, values) => text.split(/%\((\w+)\)s/).flatMap((part, place) => (place % 2 ? values[part] : part));

/**
 * Sentences one after the other, without the empty ones.
 * @param {Piece[][]} sentences
 * @returns {Piece[]}
 */
export const inTurn = (sentences) => sentences.filter(({ length }) => length).flatMap((one, place) => (place && !isChinese ? [" ", ...one] : one));

/**
 * The pieces as they are read.
 * @param {Piece[]} pieces
 */
export const textOf = (pieces) => pieces.map((piece) => (typeof piece === "string" ? piece : piece.text)).join("");

/**
 * Writes pieces into a line, unless they stand there already: a link that has the focus keeps it.
 * @param {HTMLElement} line
 * @param {Piece[]} pieces
 */
export function write(line, pieces) {
  const nodes = pieces.map((piece) => (typeof piece === "string" ? piece : linkTo(piece)));
  const fresh = /** @type {HTMLElement} */ (line.cloneNode(false));
  fresh.append(...nodes);
  if (!fresh.isEqualNode(line)) line.replaceChildren(...nodes);
}

/** @param {{text: string, href: string}} piece */
function linkTo({ text, href }) {
  const link = document.createElement("a");
  link.href = href;
  link.textContent = text;
  return link;
}
