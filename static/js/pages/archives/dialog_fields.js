// What is typed in the dialogs of archives, and where their refusals are shown.

import { ApiError } from "../../shared/api.js";
import { say } from "../../shared/form_fields.js";
import { fieldOf, find, findAll } from "../../shared/page_elements.js";

// The field of a dialog that a refusal of the API is about.
/** @type {Record<string, string>} */
const FIELDS = { kind: "kind", label: "label", address: "address", rate: "amount", proves: "proves" };

/** @param {HTMLDialogElement} dialog */
export const formOf = (dialog) => find(dialog, "form", HTMLFormElement);

/**
 * What is typed of a credential.
 * @param {string} cookie
 * @param {string} userAgent
 */
export function typed(cookie, userAgent) {
  return { ...cookie && { cookie }, ...userAgent.trim() && { user_agent: userAgent.trim() } };
}

/**
 * Shows a refusal at the field that it names.
 * @param {HTMLDialogElement} dialog
 * @param {() => Promise<void>} send
 */
export async function refusing(dialog, send) {
  try {
    await send();
  } catch (error) {
    const field = error instanceof ApiError ? fieldAt(dialog, error.body.field) : null;
    if (!(field instanceof HTMLElement)) throw error;
    say(field, error.message);
    field.focus();
  }
}

/**
 * The field that a refusal is about; of a credential the last one that is shown, its secret.
 * @param {HTMLDialogElement} dialog
 * @param {string} [name]
 */
function fieldAt(dialog, name = "") {
  if (name !== "credential") return formOf(dialog).elements.namedItem(FIELDS[name] ?? "");
  const shown = findAll(dialog, "[data-kinds]:not([hidden]) :is(input, textarea)").filter((field) => field.getAttribute("name") !== "address");
  return shown.find((field) => field.getAttribute("name") === "cookie") ?? shown.at(-1) ?? null;
}

/**
 * Shows what archives of a kind need.
 * @param {HTMLDialogElement} dialog
 * @param {string} kind
 */
export function showFields(dialog, kind) {
  for (const part of findAll(dialog, "[data-kinds]")) part.hidden = !(part.dataset.kinds ?? "").split(" ").includes(kind);
}

/**
 * @param {HTMLDialogElement} dialog
 * @param {string} name
 */
export function isShown(dialog, name) {
  return findAll(dialog, `[data-kinds]:not([hidden]) [name="${name}"]`).length > 0;
}

/**
 * What is typed of a credential of a kind.
 * @param {HTMLDialogElement} dialog
 * @param {string} kind
 * @returns {Record<string, string>}
 */
export function credentialIn(dialog, kind) {
  const form = formOf(dialog);
  if (isShown(dialog, "cookie")) return typed(fieldOf(form, "cookie", HTMLTextAreaElement).value.trim(), fieldOf(form, "user_agent").value);
  const fields = findAll(dialog, `[data-kinds~="${kind}"] input`).filter((field) => field.getAttribute("name") !== "address");
  const entries = fields.map((field) => [field.getAttribute("name") ?? "", fieldOf(form, field.getAttribute("name") ?? "").value.trim()]);
  return Object.fromEntries(entries.filter(([, value]) => value));
}
