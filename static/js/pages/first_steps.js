// The first steps of an empty archive: marks the steps that are done, and counts the pages of the first collection live.

import { bindCookieForm, hintWords } from "../shared/cookie_form.js";
import { whole } from "../shared/formats.js";
import { fill, gettext, ngettext } from "../shared/i18n.js";
import { byId, find } from "../shared/page_elements.js";

const card = byId("first-steps");
const steps = find(card, ".way");
const collect = find(card, "[data-collect]", HTMLButtonElement);
const progress = find(card, "[data-step-progress]");

bindCookieForm(showCookie);
document.addEventListener("archive:run", ({ detail: run }) => { progress.textContent = progressWords(run); });

/** @param {Pick<Settings, "cookie_hint">} settings */
function showCookie({ cookie_hint: hint }) {
  const set = Boolean(hint);
  steps.dataset.cookie = set ? "set" : "none";
  for (const name of ["get", "paste"]) find(steps, `[data-step="${name}"]`).toggleAttribute("data-done", set);
  find(card, "[data-cookie-state]").textContent = set ? fill(gettext("Your cookie is set: %(hint)s."), { hint: hintWords(hint) }) : "";
  card.querySelector("[data-cookie-broken]")?.remove();
  find(card, "[data-cookie-save]").hidden = set;
  collect.disabled = !set;
  if (set) collect.focus();
}

/**
 * The progress of the collection; its log has one line per page.
 * @param {Partial<Run> & Pick<Run, "status">} run
 */
function progressWords({ status, detail, added = 0, fetched = 0 }) {
  const pages = (detail ?? "").match(/: (again )?page \d+, /g)?.length ?? 0;
  if (status === "queued") return gettext("Waiting to start…");
  if (status === "ok" && !fetched) return gettext("Done, but the upstream has no calls in this time window.");
  if (status !== "running" && status !== "ok") return gettext("The collection stopped; the reason is shown above.");
  return fill(ngettext("%(pages)s page read, %(calls)s calls stored.", "%(pages)s pages read, %(calls)s calls stored.", pages), {
    pages: whole(pages), calls: whole(added),
  });
}
