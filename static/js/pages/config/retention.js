// For how long the account keeps calls and prompts. What a choice would erase is said before it is stored.

import { ApiError, post } from "../../shared/api.js";
import { confirmed } from "../../shared/confirmation.js";
import { onSubmit, sayDone } from "../../shared/form_fields.js";
import { whole } from "../../shared/formats.js";
import { fill, gettext, ngettext, sentences } from "../../shared/i18n.js";
import { byId, fieldOf, find } from "../../shared/page_elements.js";

const form = byId("retention-form", HTMLFormElement);
const said = find(form, "[data-preview]");
const dialog = byId("retention-erase", HTMLDialogElement);
let asked = 0;

form.addEventListener("change", preview);

onSubmit(form, async () => {
  const chosen = choice();
  const found = await post("/api/retention/preview", chosen);
  said.textContent = wordsOf(found);
  if (found.calls + found.prompts && !(await confirmed(dialog, wordsOf(found)))) return;
  sayDone(form, (await post("/api/retention", chosen)).message);
});

/** The days of both fields; null where one is empty. */
function choice() {
  const [calls, prompts] = ["calls_days", "prompts_days"].map((name) => fieldOf(form, name).value.trim() || null);
  return { calls_days: calls, prompts_days: prompts };
}

async function preview() {
  const turn = ++asked;
  const words = await post("/api/retention/preview", choice()).then(wordsOf, messageOf);
  // The fields may have changed meanwhile.
  if (turn === asked) said.textContent = words;
}

/** @param {unknown} error */
function messageOf(error) {
  if (!(error instanceof ApiError)) throw error;
  return error.message;
}

/** @param {{calls: number, prompts: number, first_kept_day: string | null}} found */
function wordsOf({ calls, prompts, first_kept_day: first }) {
  if (!calls && !prompts) return gettext("Nothing would be erased now.");
  return sentences([
    ...(calls ? [fill(ngettext("%(count)s call from before %(day)s would be erased.", "%(count)s calls from before %(day)s would be erased.", calls), { count: whole(calls), day: first ?? "" })] : []),
    ...(prompts ? [fill(ngettext("%(count)s prompt would be erased.", "%(count)s prompts would be erased.", prompts), { count: whole(prompts) })] : []),
  ]);
}
