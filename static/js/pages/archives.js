// The archives of the account: made, named, given a credential and deleted in dialogs. The server renders the cards; each change
// reads them again.

import { at } from "../shared/addresses.js";
import { ApiError, post, reread } from "../shared/api.js";
import { renewArchiveChoice } from "../shared/archive_choice.js";
import { keepArchive } from "../shared/browser_choice.js";
import { bindCookieForm, resetCookieForm } from "../shared/cookie_form.js";
import { clear, onSubmit, say } from "../shared/form_fields.js";
import { fill, gettext } from "../shared/i18n.js";
import { byId, fieldOf, find, findAll, targetOf } from "../shared/page_elements.js";

const cards = byId("archives");
const said = byId("said");
const newArchive = byId("new-archive", HTMLButtonElement);
const [creating, crediting, renaming, deleting] = ["create", "credential", "rename", "delete"].map((id) => byId(id, HTMLDialogElement));
const agent = byId("cookie-agent", HTMLInputElement);
// The field of a dialog that a refusal of the API is about.
/** @type {Record<string, string>} */
const FIELDS = { kind: "kind", label: "label", credential: "cookie" };
/** @type {{id: string, label: string}} The archive of the open dialog. */
let chosen = { id: "", label: "" };

newArchive.addEventListener("click", () => open(creating, { id: "", label: "" }));
cards.addEventListener("click", (event) => {
  const button = targetOf(event).closest("[data-act]");
  const { archiveCard: id = "", label = "" } = button?.closest("section")?.dataset ?? {};
  if (!(button instanceof HTMLElement)) return;
  if (button.dataset.act === "credential") openCredential({ id, label });
  else if (button.dataset.act === "rename") openNaming({ id, label });
  else open(deleting, { id, label });
});
for (const button of findAll(document, "[data-cancel]")) {
  button.addEventListener("click", () => button.closest("dialog")?.close());
}

bindCookieForm({
  answered: showArchives,
  tests: true,
  place: {
    save: async (text) => {
      const { warnings } = await post(`/api/archives/${chosen.id}`, { credential: typed(text, agent.value) });
      agent.value = "";
      return { warnings, said: gettext("Credential saved.") };
    },
    test: (text) => post(`/api/archives/${chosen.id}/test`, text || agent.value.trim() ? { credential: typed(text, agent.value) } : {}),
    stored: showStored,
    isFilled: () => agent.value.trim() !== "",
  },
});
crediting.addEventListener("close", () => {
  resetCookieForm();
  focusOn(chosen.id, "credential");
});

onSubmit(formOf(creating), () => refusing(creating, async () => {
  const [kind, label, cookie, userAgent] = [fieldOf(formOf(creating), "kind", HTMLSelectElement), ...texts(creating)].map(({ value }) => value.trim());
  const credential = typed(cookie, userAgent);
  const { id, message } = await post("/api/archives", { kind, label, ...Object.keys(credential).length && { credential } });
  await finish(creating, message, String(id), "credential");
  // Asked at once what the stored one gives.
  if (!cookie) return;
  openCredential({ id: String(id), label });
  find(crediting, "[data-cookie-test]").click();
}));

onSubmit(formOf(renaming), () => refusing(renaming, async () => {
  const { message } = await post(`/api/archives/${chosen.id}`, { label: fieldOf(formOf(renaming), "label").value });
  await finish(renaming, message, chosen.id, "rename");
}));

onSubmit(formOf(deleting), () => refusing(deleting, async () => {
  const field = fieldOf(formOf(deleting), "label");
  if (field.value.trim() !== chosen.label) {
    say(field, fill(gettext("Type %(name)s to delete this archive."), { name: chosen.label }));
    field.focus();
    return;
  }
  const isShown = find(document, `#archive-${chosen.id}`).hasAttribute("data-shown");
  const { message } = await post(`/api/archives/${chosen.id}/delete`, { label: chosen.label });
  if (isShown) leave();
  else await finish(deleting, message, "", "");
}));

/** The text fields of the form for a new archive: its name, its cookie, and the User-Agent. */
function texts(/** @type {HTMLDialogElement} */ dialog) {
  const form = formOf(dialog);
  return [fieldOf(form, "label"), fieldOf(form, "cookie", HTMLTextAreaElement), fieldOf(form, "user_agent")];
}

/**
 * What is typed of a credential.
 * @param {string} cookie
 * @param {string} userAgent
 */
function typed(cookie, userAgent) {
  return { ...cookie && { cookie }, ...userAgent.trim() && { user_agent: userAgent.trim() } };
}

/**
 * Shows a refusal at the field that it names.
 * @param {HTMLDialogElement} dialog
 * @param {() => Promise<void>} send
 */
async function refusing(dialog, send) {
  try {
    await send();
  } catch (error) {
    const field = error instanceof ApiError ? formOf(dialog).elements.namedItem(FIELDS[error.body.field] ?? "") : null;
    if (!(field instanceof HTMLElement)) throw error;
    say(field, error.message);
    field.focus();
  }
}

/**
 * @param {HTMLDialogElement} dialog
 * @param {{id: string, label: string}} archive
 */
function open(dialog, archive) {
  choose(dialog, archive);
  const form = formOf(dialog);
  form.reset();
  clear(form);
  dialog.showModal();
  find(form, "input").focus();
}

/**
 * @param {HTMLDialogElement} dialog
 * @param {{id: string, label: string}} archive
 */
function choose(dialog, archive) {
  chosen = archive;
  for (const name of findAll(dialog, "[data-name]")) name.textContent = archive.label;
}

/** @param {{id: string, label: string}} archive */
function openNaming(archive) {
  open(renaming, archive);
  const field = fieldOf(formOf(renaming), "label");
  field.value = archive.label;
  field.select();
}

/** @param {{id: string, label: string}} archive */
function openCredential(archive) {
  choose(crediting, archive);
  crediting.showModal();
  byId("cookie").focus();
}

/** Shows the cards after a credential was stored, and what that means for the frame. */
async function showStored() {
  if (find(document, `#archive-${chosen.id}`).hasAttribute("data-shown")) document.dispatchEvent(new CustomEvent("archive:cookie"));
  await showArchives();
}

/** Shows the archives as they are stored, also in the menus of the bar. */
async function showArchives() {
  const page = await reread();
  cards.replaceChildren(...byId("archives", HTMLElement, page).childNodes);
  byId("archives-about").replaceChildren(...byId("archives-about", HTMLElement, page).childNodes);
  newArchive.disabled = byId("new-archive", HTMLButtonElement, page).disabled;
  renewArchiveChoice(page);
}

/**
 * Closes the dialog, shows the message and the archives, and restores the focus.
 * @param {HTMLDialogElement} dialog
 * @param {string} message
 * @param {string} id
 * @param {string} act
 */
async function finish(dialog, message, id, act) {
  dialog.close();
  said.textContent = message;
  try {
    await showArchives();
  } catch (error) {
    said.textContent = fill(gettext("%(message)s The archives could not be refreshed: %(reason)s"), { message, reason: error.message });
  }
  focusOn(id, act);
}

/**
 * @param {string} id
 * @param {string} act
 */
function focusOn(id, act) {
  (findAll(cards, `[data-archive-card="${id}"] [data-act="${act}"]`)[0] ?? newArchive).focus();
}

/** The page of the first archive, once the shown one is deleted. */
function leave() {
  keepArchive("");
  location.replace(at("/archives"));
}

/** @param {HTMLDialogElement} dialog */
function formOf(dialog) {
  return find(dialog, "form", HTMLFormElement);
}
