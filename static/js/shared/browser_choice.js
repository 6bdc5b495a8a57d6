// What is chosen in this browser: the language and theme, for pages before the sign-in and for accounts that have not chosen
// their own, and the archive that the pages show.

import { at } from "./addresses.js";

const YEAR = 365 * 86400;

/**
 * Keeps a choice for a year in a cookie that is no secret; an empty value forgets it.
 * @param {"language" | "theme"} choice
 * @param {string} value
 */
export const keepChoice = (choice, value) => keep(`_${choice}`, value);

/**
 * Keeps the archive that the pages show; an empty id is that of the first one.
 * @param {string} id
 */
export const keepArchive = (id) => keep("", id);

/** Whether an archive was chosen in this browser. */
export const isArchiveKept = () => `; ${document.cookie}`.includes(`; ${nameWith("")}=`);

/** @param {string} ending */
const nameWith = (ending) => `archive${at("").replaceAll("/", "_")}${ending}`;

/**
 * @param {string} ending
 * @param {string} value
 */
function keep(ending, value) {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `${nameWith(ending)}=${value}; Path=${at("") || "/"}; SameSite=Lax; Max-Age=${value ? YEAR : 0}${secure}`;
}
