// A countdown on a button: the seconds until its action is allowed again. The button keeps the focus and ignores clicks meanwhile.

import { fill, gettext } from "./i18n.js";

const SECOND = 1000;
/** @type {Map<HTMLElement, {words: string, timer: number, done: () => void}>} */
const counting = new Map();

/** @param {HTMLElement} button */
export const isCounting = (button) => counting.has(button);

/**
 * Counts down on a button; `done` runs at the end.
 * @param {HTMLElement} button
 * @param {number} seconds
 * @param {() => void} [done]
 */
export function countDown(button, seconds, done = () => {}) {
  const words = counting.get(button)?.words ?? button.textContent ?? "";
  clearInterval(counting.get(button)?.timer);
  const end = performance.now() + seconds * SECOND;
  const timer = setInterval(() => show(button, end), SECOND);
  counting.set(button, { words, timer, done });
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
    return;
  }
  clearInterval(held.timer);
  counting.delete(button);
  button.ariaDisabled = null;
  button.textContent = held.words;
  held.done();
}
