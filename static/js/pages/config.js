// The settings page of an account: its cookie, its User-Agent, and the maintenance of its archive.

import { at } from "../shared/addresses.js";
import { post, reread } from "../shared/api.js";
import { bindCookieForm, clearCookie, hintWords } from "../shared/cookie_form.js";
import { countDown, isCounting } from "../shared/countdown.js";
import { fill, gap, gettext } from "../shared/i18n.js";
import { named } from "../shared/own_archive.js";
import { byId, find, findAll } from "../shared/page_elements.js";
import { bindSettingsForms } from "../shared/settings_forms.js";
import "./config/privacy.js";
import "./config/retention.js";

const { instance } = find(document, ".sections").dataset;
// That of a further archive is set on the page Archives.
if (document.getElementById("cookie-form")) bindCookie();
const renewForms = bindSettingsForms();
for (const button of findAll(document, "[data-action]")) button.addEventListener("click", () => maintain(button));
window.addEventListener("hashchange", followOldLink);
followOldLink();

/** Leads an administrator on to a place that earlier versions had on this page. */
function followOldLink() {
  const place = decodeURIComponent(location.hash.slice(1));
  if (instance && place && !document.getElementById(place)) location.replace(`${instance}#${place}`);
}

function bindCookie() {
  const dialog = byId("clear-dialog", HTMLDialogElement);
  bindCookieForm({ stored: showOwn, answered: showAnswer });
  byId("cookie-clear").addEventListener("click", () => { dialog.returnValue = ""; dialog.showModal(); });
  dialog.addEventListener("close", async () => {
    if (dialog.returnValue !== "clear") return;
    try {
      await clearCookie(showOwn);
      byId("cookie").focus();
      await showAnswer();
    } catch (error) {
      byId("cookie-state").textContent = error.message;
    }
  });
}

/** @param {Settings} settings */
function showOwn(settings) {
  const state = byId("cookie-state");
  const agent = byId("user_agent", HTMLInputElement);
  const set = Boolean(settings.cookie_hint);
  state.textContent = set ? fill(gettext("set, %(hint)s"), { hint: hintWords(settings.cookie_hint) }) : gettext("not set");
  state.dataset.state = set ? "set" : "none";
  byId("cookie-clear").hidden = !set;
  document.getElementById("cookie-since")?.remove();
  // What is typed and not yet saved stays.
  if (agent.value.trim() === agent.dataset.saved) agent.value = settings.user_agent;
  agent.dataset.saved = settings.user_agent;
  renewForms();
}

/** Shows what the upstream last answered to the stored cookie. */
async function showAnswer() {
  const page = await reread();
  byId("cookie-answer").replaceWith(byId("cookie-answer", HTMLElement, page));
}

/**
 * Runs a maintenance action and shows the result beside its button.
 * @param {HTMLElement} button
 */
async function maintain(button) {
  if (button.ariaBusy === "true" || isCounting(button)) return;
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
      said.append(gap, download(file));
      // The message stays even if the list cannot be read.
      await showExports().catch(() => {});
    }
  } catch (error) {
    // Too soon, or busy: this is not a failure.
    tell(error.status === 429 || error.code === "busy" ? "wait" : "failed", error.message);
    if (error.retryAfter) countDown(button, error.retryAfter, () => tell("wait", ""), said);
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
  link.href = at(named(`/exports/${encodeURIComponent(file)}`));
  link.download = file;
  link.textContent = gettext("Download");
  return link;
}
