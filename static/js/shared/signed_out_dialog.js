// The dialog for a session that has ended.

import { at } from "./addresses.js";
import { gettext } from "./i18n.js";

/**
 * @param {(dialog: HTMLDialogElement, text: HTMLElement) => void} takeOver Called once the reader has signed in again.
 */
export function signedOutDialog(takeOver) {
  const dialog = document.createElement("dialog");
  dialog.id = "signed-out";
  const title = document.createElement("h2");
  title.id = "signed-out-title";
  title.textContent = gettext("You are signed out");
  dialog.setAttribute("aria-labelledby", title.id);
  const text = document.createElement("p");
  text.textContent = gettext("Your session has ended. Sign in in a new tab, then continue here. Your input is kept.");
  const row = document.createElement("div");
  row.className = "row end";
  const link = document.createElement("a");
  link.className = "btn btn-primary";
  link.href = at("/login");
  link.target = "_blank";
  link.textContent = gettext("Sign in");
  const on = document.createElement("button");
  on.className = "btn";
  on.type = "button";
  on.textContent = gettext("I am signed in again");
  on.addEventListener("click", () => takeOver(dialog, text));
  row.append(on, link);
  dialog.append(title, text, row);
  document.body.append(dialog);
  return dialog;
}
