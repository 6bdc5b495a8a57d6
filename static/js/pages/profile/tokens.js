// Personal tokens: listed, created and revoked; a new one is shown once.

import { post, reread } from "../../shared/api.js";
import { confirmed } from "../../shared/confirmation.js";
import { onSubmit, sayDone, sayToForm } from "../../shared/form_fields.js";
import { byId, fieldOf, find, findAll, targetOf } from "../../shared/page_elements.js";
import { shownOnce } from "../../shared/shown_once.js";

const form = byId("token", HTMLFormElement);
const name = fieldOf(form, "name");
const scopes = findAll(form, "[type=checkbox]", HTMLInputElement);
const days = fieldOf(form, "days");
const list = find(document, "[data-tokens]");
const dialog = byId("token-revoke", HTMLDialogElement);
const show = shownOnce(byId("new-token"), name);

onSubmit(form, async () => {
  const chosen = scopes.filter(({ checked }) => checked).map((scope) => scope.name);
  const { message, token } = await post("/api/tokens", { name: name.value, scopes: chosen, days: daysIn(days.value.trim()) });
  form.reset();
  show(token);
  await showTokens();
  sayDone(form, message);
});

list.addEventListener("click", async (event) => {
  const button = targetOf(event).closest("button");
  if (!button || list.ariaBusy === "true" || !(await confirmed(dialog, button.dataset.name ?? ""))) return;
  list.ariaBusy = "true";
  try {
    await revoke(button.dataset.revoke ?? "");
  } finally {
    list.ariaBusy = "false";
  }
});

/** @param {string} id */
async function revoke(id) {
  sayToForm(form, "");
  try {
    const { message } = await post(`/api/tokens/${id}/revoke`);
    await showTokens();
    sayDone(form, message);
  } catch (error) {
    // It may have been revoked elsewhere.
    await showTokens();
    sayToForm(form, error.message);
  }
  (list.querySelector("[data-revoke]") instanceof HTMLElement ? find(list, "[data-revoke]") : name).focus();
}

/** Shows the tokens as they are stored. */
export async function showTokens() {
  list.replaceChildren(...find(await reread(), "[data-tokens]").childNodes);
}

/**
 * The days as the API takes them: null for a token without an end, and what is no number unchanged, for its words.
 * @param {string} typed
 */
function daysIn(typed) {
  if (!typed) return null;
  return /^[0-9]{1,9}$/.test(typed) ? Number(typed) : typed;
}
