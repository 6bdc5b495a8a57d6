// The language and theme of this browser, for pages before the sign-in and for accounts that have not chosen their own.

import { at } from "./addresses.js";

const YEAR = 365 * 86400;

/**
 * Keeps a choice for a year in a cookie that is no secret; an empty value forgets it.
 * @param {"language" | "theme"} choice
 * @param {string} value
 */
export function keepChoice(choice, value) {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  const name = `archive${at("").replaceAll("/", "_")}_${choice}`;
  document.cookie = `${name}=${value}; Path=${at("") || "/"}; SameSite=Lax; Max-Age=${value ? YEAR : 0}${secure}`;
}
