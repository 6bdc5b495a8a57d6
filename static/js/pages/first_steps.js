// The first steps of an empty archive: marks the steps that are done, and counts the pages of the first collection live.

import { reread } from "../shared/api.js";
import { bindCookieForm, hintWords } from "../shared/cookie_form.js";
import { whole } from "../shared/formats.js";
import { fill, gettext, ngettext } from "../shared/i18n.js";
import { byId, find } from "../shared/page_elements.js";

const card = byId("first-steps");
const steps = find(card, ".way");
const paste = find(steps, '[data-step="paste"]');
const collect = find(card, "[data-collect]", HTMLButtonElement);
const progress = find(card, "[data-step-progress]");

bindCookieForm({ stored: showCookie, answered: showAnswer, tests: true });
find(card, "[data-change]").addEventListener("click", change);
document.addEventListener("archive:run", ({ detail: run }) => { progress.textContent = progressWords(run); });

/** @param {Pick<Settings, "cookie_hint">} settings */
function showCookie({ cookie_hint: hint }) {
  const set = Boolean(hint);
  steps.dataset.cookie = set ? "set" : "none";
  find(card, "[data-cookie-state]").textContent = set ? fill(gettext("Your cookie is set: %(hint)s."), { hint: hintWords(hint) }) : "";
  card.querySelector("[data-cookie-broken]")?.remove();
  collect.disabled = !set;
}

/** Ticks the steps whose test has passed: the server keeps what the upstream answered. */
async function showAnswer() {
  const page = await reread();
  for (const name of ["get", "paste"]) {
    const step = page.querySelector(`#first-steps [data-step="${name}"]`);
    find(steps, `[data-step="${name}"]`).toggleAttribute("data-done", step?.hasAttribute("data-done") ?? true);
  }
  const passed = paste.hasAttribute("data-done");
  paste.removeAttribute("data-changing");
  if (passed) collect.focus();
}

/** Opens the paste box again, in its step. */
function change() {
  paste.setAttribute("data-changing", "");
  byId("cookie").focus();
}

/**
 * The progress of the collection.
 * @param {Partial<Run> & Pick<Run, "status">} run
 */
function progressWords({ status, added = 0, fetched = 0 }) {
  if (status === "queued") return gettext("Waiting to start…");
  if (status === "ok" && !fetched) return gettext("Done, but CodeBuddy has no calls in this time window.");
  if (status !== "running" && status !== "ok") return gettext("The collection stopped; the reason is shown above.");
  return fill(ngettext("%(read)s call read, %(stored)s stored.", "%(read)s calls read, %(stored)s stored.", fetched), { read: whole(fetched), stored: whole(added) });
}
