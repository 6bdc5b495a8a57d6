// The dialog of the token of a device login.

import { fieldOf, find } from "../../shared/page_elements.js";

const FIELDS = ["token", "user_id", "enterprise_id"];

/**
 * The token that is typed, with what its headers say; nothing typed removes the one that is set.
 * @param {HTMLDialogElement} dialog
 */
export function typedToken(dialog) {
  const form = find(dialog, "form", HTMLFormElement);
  const typed = FIELDS.map((name) => [name, fieldOf(form, name).value.trim()]).filter(([, value]) => value);
  return typed.length ? Object.fromEntries(typed) : { token: null };
}
