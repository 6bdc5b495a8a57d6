// The settings page: each group is saved by itself, what was refused is said at its field, what was good stays saved.

import { get, post } from "archive/api";
import { bindCookieForm, clearCookie } from "archive/credential";
import { clear as clearErrors, say, sayDone, sayToForm } from "archive/fields";
import { withoutKey } from "archive/formats";

const state = document.getElementById("cookie-state");
const clear = document.getElementById("cookie-clear");
const dialog = document.getElementById("clear-dialog");
const agent = document.getElementById("user_agent");

bindCookieForm(showOwn);
clear.addEventListener("click", () => { dialog.returnValue = ""; dialog.showModal(); });
dialog.addEventListener("close", async () => {
  if (dialog.returnValue !== "clear") return;
  try {
    await clearCookie(showOwn);
  } catch (error) {
    state.textContent = error.message;
  }
});
for (const form of document.querySelectorAll("[data-settings-form]")) bind(form);

function showOwn(settings) {
  const set = Boolean(settings.cookie_hint);
  state.textContent = set ? `set, ${settings.cookie_hint}` : "not set";
  state.dataset.state = set ? "set" : "none";
  clear.hidden = !set;
  document.getElementById("cookie-since")?.remove();
  agent.value = agent.dataset.saved = settings.user_agent;
}

function bind(form) {
  const fields = [...form.elements].filter((field) => "saved" in field.dataset);
  form.addEventListener("input", () => { sayDone(form, ""); });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const edited = fields.filter((field) => valueOf(field) !== field.dataset.saved);
    clearErrors(form);
    if (!edited.length) {
      sayDone(form, "Nothing was changed.");
      return;
    }
    await save(form, edited);
  });
}

async function save(form, edited) {
  const button = form.querySelector("[type=submit]");
  button.disabled = true;
  sayDone(form, "");
  try {
    const body = Object.fromEntries(edited.map((field) => [field.name, valueOf(field)]));
    const { changed } = await post("/api/settings", body);
    await settle(edited, changed);
    sayDone(form, "Saved.");
  } catch (error) {
    await settle(edited, error.body?.changed ?? []).catch(() => {});
    showErrors(form, edited, error);
  } finally {
    button.disabled = false;
  }
}

/** Writes the stored, normal form of what was saved back into its field. */
async function settle(edited, changed) {
  if (!changed.length) return;
  const settings = await get("/api/settings");
  for (const field of edited.filter(({ name }) => changed.includes(name))) {
    field.dataset.saved = settings[field.name];
    if (field.type === "checkbox") field.checked = settings[field.name] === "1";
    else field.value = settings[field.name];
  }
}

function showErrors(form, edited, error) {
  const rest = [];
  for (const text of error.body?.errors ?? [error.message]) {
    const field = edited.find(({ name }) => text.startsWith(`${name} `));
    if (field) say(field, withoutKey(text, field.name));
    else rest.push(text);
  }
  const kept = error.body?.changed ?? [];
  if (kept.length) sayDone(form, `Saved: ${kept.join(", ")}.`);
  sayToForm(form, rest.join(" "));
  form.querySelector("[aria-invalid=true]")?.focus();
}

const valueOf = (field) => (field.type === "checkbox" ? (field.checked ? "1" : "0") : field.value.trim());
