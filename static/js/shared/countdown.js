// A countdown on a button: the seconds until its action is allowed again. The button keeps the focus and ignores clicks meanwhile.

import { fill, gettext } from "./i18n.js";

const SECOND = 1000;
/** @type {Map<HTMLElement, {words: string, timer: number, done: () => void, tell: (left: number) => void}>} */
const counting = new Map();

/** @param {HTMLElement} button */
export const isCounting = (button) => counting.has(button);

/**
 * Counts down on a button, and in a message that names the same seconds; `done` runs at the end.
 * @param {HTMLElement} button
 * @param {number} seconds
 * @param {() => void} [done]
 * @param {HTMLElement | null} [said] The place of the message.
 */
export function countDown(button, seconds, done = () => {}, said = null) {
  const words = counting.get(button)?.words ?? button.textContent ?? "";
  clearInterval(counting.get(button)?.timer);
  const end = performance.now() + seconds * SECOND;
  const timer = setInterval(() => show(button, end), SECOND);
  counting.set(button, { words, timer, done, tell: said ? tellingIn(said, seconds) : () => {} });
  button.ariaDisabled = "true";
  show(button, end);
}

/**
 * @param {HTMLElement} button
 * @param {number} end
 */
function show(button, end) {
  const held = counting.get(button);
  if (!held) return;
  const left = Math.ceil((end - performance.now()) / SECOND);
  if (left > 0) {
    button.textContent = fill(gettext("%(action)s (%(seconds)s s)"), { action: held.words, seconds: left });
    held.tell(left);
    return;
  }
  clearInterval(held.timer);
  counting.delete(button);
  held.tell(0);
  button.ariaDisabled = null;
  button.textContent = held.words;
  held.done();
}

/**
 * Keeps the seconds in a message as they are on the button, until something else is said there.
 * @param {HTMLElement} said
 * @param {number} seconds
 * @returns {(left: number) => void}
 */
function tellingIn(said, seconds) {
  const message = said.textContent ?? "";
  let last = message;
  // Screen readers have read it once.
  said.ariaLive = "off";
  return (left) => {
    if (!left) said.ariaLive = null;
    if (!left || said.textContent !== last) return;
    last = message.replace(new RegExp(`(?<!\\d)${seconds}(?!\\d)`), String(left));
    said.textContent = last;
  };
}
