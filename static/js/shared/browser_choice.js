// The language and theme of this browser, for pages before the sign-in and for accounts that have not chosen their own.

const YEAR = 365 * 86400;

/**
 * Keeps a choice for a year in a cookie that is no secret; an empty value forgets it.
 * @param {"language" | "theme"} name
 * @param {string} value
 */
export function keepChoice(name, value) {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  document.cookie = `archive_${name}=${value}; Path=/; SameSite=Lax; Max-Age=${value ? YEAR : 0}${secure}`;
}
