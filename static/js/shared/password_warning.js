// The warning beside a new password that is easy to guess, before the form is sent. The password stays in the browser: it
// is looked up in a list, which is loaded once somebody enters a password.

import { find, findAll } from "./page_elements.js";

// Shorter names are in many good passwords by chance.
const NAME_LEAST = 3;

/** @type {Promise<Set<string>> | null} */
let list = null;

for (const place of findAll(document, "[data-password-warning]")) bind(place);

/** @param {HTMLElement} place */
function bind(place) {
  const { passwordWarning: address = "" } = place.dataset;
  const field = find(/** @type {HTMLElement} */ (place.closest(".field")), "input", HTMLInputElement);
  const form = /** @type {HTMLFormElement} */ (field.form);
  const name = /** @type {HTMLInputElement | null} */ (form.elements.namedItem("username"));
  const renew = async () => {
    const known = await common(address);
    place.textContent = warningOf(field.value, name?.value ?? "", known, place.dataset);
  };
  field.addEventListener("focus", () => { common(address); });
  field.addEventListener("change", renew);
  // While somebody types, a warning only goes away or is replaced.
  field.addEventListener("input", () => { if (place.textContent) renew(); });
  name?.addEventListener("change", () => { if (field.value) renew(); });
  form.addEventListener("reset", () => { place.textContent = ""; });
}

/**
 * The list; an empty one where it cannot be read, since the server warns as well, if later.
 * @param {string} address
 */
function common(address) {
  list ??= fetch(address)
    .then(async (response) => new Set(response.ok ? (await response.text()).split("\n") : []))
    .catch(() => {
      list = null;
      return new Set();
    });
  return list;
}

/**
 * Why a password is easy to guess; empty if no reason is known.
 * @param {string} password
 * @param {string} name
 * @param {Set<string>} known
 * @param {DOMStringMap} words
 */
function warningOf(password, name, known, words) {
  if (known.has(password.toLowerCase().trim())) return words.common ?? "";
  const key = keyOf(name.trim());
  return key.length >= NAME_LEAST && keyOf(password).includes(key) ? words.likeName ?? "" : "";
}

/** @param {string} text */
const keyOf = (text) => text.normalize("NFKC").toLowerCase();
