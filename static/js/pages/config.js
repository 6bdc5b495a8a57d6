// The settings page. Each group is saved separately; a refused value is reported at its field, accepted ones stay saved.

import { get, post, reread } from "../shared/api.js";
import { bindCookieForm, clearCookie, hintWords } from "../shared/cookie_form.js";
import { clear as clearErrors, say, sayDone, sayToForm } from "../shared/form_fields.js";
import { withoutKey } from "../shared/formats.js";
import { addTyped, readSchedule, showTimes, times } from "./config/schedule_form.js";
import { fill, gettext } from "../shared/i18n.js";
import { byId, find, findAll } from "../shared/page_elements.js";

/** @typedef {HTMLInputElement | HTMLSelectElement} Field */

const state = byId("cookie-state");
const clear = byId("cookie-clear");
const dialog = byId("clear-dialog", HTMLDialogElement);
const agent = byId("user_agent", HTMLInputElement);

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
for (const form of findAll(document, "[data-settings-form]", HTMLFormElement)) bind(form);
for (const button of findAll(document, "[data-action]")) button.addEventListener("click", () => maintain(button));
readSchedule();

/** @param {Settings} settings */
function showOwn(settings) {
  const set = Boolean(settings.cookie_hint);
  state.textContent = set ? fill(gettext("set, %(hint)s"), { hint: hintWords(settings.cookie_hint) }) : gettext("not set");
  state.dataset.state = set ? "set" : "none";
  clear.hidden = !set;
  document.getElementById("cookie-since")?.remove();
  agent.value = agent.dataset.saved = settings.user_agent;
}

/** @param {HTMLFormElement} form */
function bind(form) {
  const fields = /** @type {Field[]} */ (findAll(form, "[data-saved]"));
  form.addEventListener("input", () => { sayDone(form, ""); });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    clearErrors(form);
    if (fields.some(({ type }) => type === "time") && !addTyped()) return;
    const edited = fields.filter((field) => valueOf(field) !== field.dataset.saved);
    if (!edited.length) {
      sayDone(form, gettext("Nothing was changed."));
      return;
    }
    await save(form, edited);
  });
}

/**
 * @param {HTMLFormElement} form
 * @param {Field[]} edited
 */
async function save(form, edited) {
  const button = find(form, "[type=submit]", HTMLButtonElement);
  button.disabled = true;
  sayDone(form, "");
  try {
    const body = Object.fromEntries(edited.map((field) => [field.name, valueOf(field)]));
    const { changed } = await post("/api/settings", body);
    await settle(edited, changed);
    sayDone(form, gettext("Saved."));
  } catch (error) {
    await settle(edited, error.body?.changed ?? []).catch(() => {});
    showErrors(form, edited, error);
  } finally {
    button.disabled = false;
  }
  if (edited.some(({ name }) => name.startsWith("schedule_"))) await readSchedule();
}

/**
 * Writes the stored, normalized values back into their fields.
 * @param {Field[]} edited
 * @param {string[]} changed
 */
async function settle(edited, changed) {
  if (!changed.length) return;
  const settings = await get("/api/settings");
  for (const field of edited.filter(({ name }) => changed.includes(name))) {
    field.dataset.saved = settings[field.name];
    showValue(field, settings[field.name]);
  }
}

/**
 * @param {HTMLFormElement} form
 * @param {Field[]} edited
 * @param {import("../shared/api.js").ApiError} error
 */
function showErrors(form, edited, error) {
  const rest = [];
  for (const text of error.body?.errors ?? [error.message]) {
    const field = edited.find(({ name }) => text.startsWith(`${name} `));
    if (field) say(field, withoutKey(text, field.name));
    else rest.push(text);
  }
  const kept = error.body?.changed ?? [];
  if (kept.length) sayDone(form, fill(gettext("Saved: %(names)s."), { names: kept.join(", ") }));
  sayToForm(form, rest.join(" "));
  findAll(form, "[aria-invalid=true]")[0]?.focus();
}

/**
 * Runs a maintenance action and shows the result beside its button.
 * @param {HTMLElement} button
 */
async function maintain(button) {
  if (button.ariaBusy === "true") return;
  const { action } = button.dataset;
  const said = find(button.parentElement ?? button, "[data-said]");
  const tell = (/** @type {string} */ kind, /** @type {string} */ text) => { said.dataset.kind = kind; said.textContent = text; };
  // A disabled button would lose the focus.
  button.ariaBusy = "true";
  tell("wait", gettext("Working…"));
  try {
    const { message } = await post(`/api/maintenance/${action}`);
    tell("done", message);
    const file = action === "export-csv" && message.match(/[\w.-]+\.csv/)?.[0];
    if (file) {
      said.append(" ", download(file));
      // The message stays even if the list cannot be read.
      await showExports().catch(() => {});
    }
  } catch (error) {
    // Too soon, or busy: this is not a failure.
    tell(error.status === 429 || error.code === "busy" ? "wait" : "failed", error.message);
  } finally {
    button.ariaBusy = "false";
  }
}

/** Updates the list of exports: a new export may have replaced an older one. */
async function showExports() {
  const page = await reread();
  byId("exports").replaceWith(byId("exports", HTMLElement, page));
}

/** @param {string} file */
function download(file) {
  const link = document.createElement("a");
  link.href = `/exports/${encodeURIComponent(file)}`;
  link.download = file;
  link.textContent = gettext("Download");
  return link;
}

/** @param {Field} field */
function valueOf(field) {
  if (field instanceof HTMLInputElement && field.type === "checkbox") return field.checked ? "1" : "0";
  // The field itself holds a time that is not added yet.
  return field.type === "time" ? times() : field.value.trim();
}

/**
 * @param {Field} field
 * @param {string} value
 */
function showValue(field, value) {
  if (field instanceof HTMLInputElement && field.type === "checkbox") field.checked = value === "1";
  else if (field.type === "time") showTimes(value);
  else field.value = value;
}
