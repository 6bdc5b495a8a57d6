// Personal tokens: listed, created and revoked; a new one is shown once.

import { post, reread } from "../../shared/api.js";
import { copyText } from "../../shared/clipboard.js";
import { onSubmit, sayDone, sayToForm } from "../../shared/form_fields.js";
import { gettext } from "../../shared/i18n.js";
import { byId, fieldOf, find, findAll, targetOf } from "../../shared/page_elements.js";

const form = byId("token", HTMLFormElement);
const name = fieldOf(form, "name");
const scopes = findAll(form, "[type=checkbox]", HTMLInputElement);
const days = fieldOf(form, "days");
const list = find(document, "[data-tokens]");
const given = byId("new-token");
const text = byId("token-text", HTMLInputElement);
const copied = find(given, "[data-copied]");

onSubmit(form, async () => {
  const chosen = scopes.filter(({ checked }) => checked).map((scope) => scope.name);
  const { message, token } = await post("/api/tokens", { name: name.value, scopes: chosen, days: daysIn(days.value.trim()) });
  form.reset();
  text.value = token;
  copied.textContent = "";
  given.hidden = false;
  text.focus();
  text.select();
  await showTokens();
  sayDone(form, message);
});

find(given, "[data-copy]").addEventListener("click", async () => {
  copied.textContent = (await copyText(text.value)) ? gettext("Copied.") : gettext("Copy the token with the keyboard.");
  text.select();
});

find(given, "[data-hide]").addEventListener("click", () => {
  // The token is in no other place of the page.
  text.value = "";
  given.hidden = true;
  name.focus();
});

list.addEventListener("click", async (event) => {
  const id = targetOf(event).closest("[data-revoke]")?.getAttribute("data-revoke");
  if (!id || list.ariaBusy === "true") return;
  list.ariaBusy = "true";
  sayToForm(form, "");
  try {
    const { message } = await post(`/api/tokens/${id}/revoke`);
    await showTokens();
    sayDone(form, message);
  } catch (error) {
    // It may have been revoked elsewhere.
    await showTokens();
    sayToForm(form, error.message);
  } finally {
    list.ariaBusy = "false";
  }
  (list.querySelector("[data-revoke]") instanceof HTMLElement ? find(list, "[data-revoke]") : name).focus();
});

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
