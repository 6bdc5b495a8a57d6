// The archives of the account: made, named, given a credential and deleted in dialogs. The server renders the cards; each change
// reads them again.

import { credentialIn, formOf, isShown, refusing, showFields, typed } from "./archives/dialog_fields.js";
import { fillProves, typedProves } from "./archives/proves.js";
import { fillRate, typedRate } from "./archives/rate.js";
import { typedToken } from "./archives/token.js";
import { at } from "../shared/addresses.js";
import { ApiError, post, reread } from "../shared/api.js";
import { renewArchiveChoice } from "../shared/archive_choice.js";
import { keepArchive } from "../shared/browser_choice.js";
import { bindCookieForm, resetCookieForm } from "../shared/cookie_form.js";
import { countDown, isCounting } from "../shared/countdown.js";
import { clear, onSubmit, say, sayDone } from "../shared/form_fields.js";
import { fill, gettext, sentences } from "../shared/i18n.js";
import { alone } from "../shared/one_at_a_time.js";
import { byId, fieldOf, find, findAll, focused, targetOf } from "../shared/page_elements.js";

const cards = byId("archives");
const said = byId("said");
const newArchive = byId("new-archive", HTMLButtonElement);
const [creating, crediting, keying, clearing, renaming, rating, proving, deleting, tokening] = ["create", "credential", "key", "clear", "rename", "rate", "prove", "delete", "token"].map((id) => byId(id, HTMLDialogElement));
const agent = byId("cookie-agent", HTMLInputElement);
const [testing, tested] = ["[data-test-key]", "[data-tested-key]"].map((part) => find(keying, part));
const kindField = fieldOf(formOf(creating), "kind", HTMLSelectElement);
/** @typedef {{id: string, label: string, kind: string, address: string}} Chosen */
/** @type {Chosen} The archive of the open dialog. */
let chosen = { id: "", label: "", kind: "", address: "" };

newArchive.addEventListener("click", () => {
  fillProves(open(creating, { id: "", label: "", kind: "", address: "" }), cards, {});
  showFields(creating, kindField.value);
});
kindField.addEventListener("change", () => showFields(creating, kindField.value));
cards.addEventListener("click", (event) => {
  const button = targetOf(event).closest("[data-act]");
  const section = button?.closest("section");
  const card = section?.dataset ?? {};
  const { archiveCard: id = "", label = "", kind = "", address = "", hasCookie } = card;
  if (!(button instanceof HTMLElement)) return;
  const archive = { id, label, kind, address };
  for (const clear of findAll(document, "[data-clear]")) clear.hidden = Boolean(section?.querySelector("[data-state=no_credential]"));
  if (button.dataset.act === "credential") (hasCookie === undefined ? openKey : openCredential)(archive);
  else if (button.dataset.act === "rename") openNaming(archive);
  else if (button.dataset.act === "rate") fillRate(open(rating, archive), card);
  else if (button.dataset.act === "prove") fillProves(open(proving, archive), cards, card);
  else if (button.dataset.act === "delete") open(deleting, archive);
  else if (button.dataset.act === "token") open(tokening, archive);
});
onSubmit(formOf(proving), () => refusing(proving, async () => {
  const { message } = await post(`/api/archives/${chosen.id}`, { proves: typedProves(proving) });
  await finish(proving, message, chosen.id, "prove");
}));
onSubmit(formOf(rating), () => refusing(rating, async () => {
  const { message } = await post(`/api/archives/${chosen.id}`, { rate: typedRate(rating) });
  await finish(rating, message, chosen.id, "rate");
}));
onSubmit(formOf(tokening), () => refusing(tokening, async () => {
  const credential = typedToken(tokening);
  const { warnings = [] } = await post(`/api/archives/${chosen.id}`, { credential });
  noteCredential(chosen);
  const words = credential.token === null ? gettext("Token removed.") : gettext("Token saved.");
  await finish(tokening, sentences([words, ...warnings]), chosen.id, "token");
}));
for (const button of findAll(document, "[data-clear]")) {
  button.addEventListener("click", () => {
    button.closest("dialog")?.close();
    choose(clearing, chosen);
    clearing.showModal();
  });
}
onSubmit(formOf(clearing), () => refusing(clearing, async () => {
  await post(`/api/archives/${chosen.id}`, { credential: null });
  noteCredential(chosen);
  await finish(clearing, gettext("Credential cleared."), chosen.id, "credential");
}));
for (const button of findAll(document, "[data-cancel]")) {
  button.addEventListener("click", () => button.closest("dialog")?.close());
}

bindCookieForm({
  answered: showArchives,
  tests: true,
  place: {
    save: async (text) => {
      const archive = chosen;
      const { warnings } = await post(`/api/archives/${archive.id}`, { credential: typed(text, agent.value) });
      noteCredential(archive);
      if (archive === chosen) agent.value = "";
      return { warnings, said: gettext("Credential saved.") };
    },
    test: (text) => post(`/api/archives/${chosen.id}/test`, text || agent.value.trim() ? { credential: typed(text, agent.value) } : {}),
    stored: showArchives,
    isFilled: () => agent.value.trim() !== "",
  },
});
crediting.addEventListener("close", () => {
  resetCookieForm();
  focusOn(chosen.id, "credential");
});

onSubmit(formOf(creating), () => refusing(creating, async () => {
  const form = formOf(creating);
  const kind = kindField.value;
  const label = fieldOf(form, "label").value.trim();
  const credential = credentialIn(creating, kind);
  const address = isShown(creating, "address") ? { address: fieldOf(form, "address").value.trim() } : {};
  const format = isShown(creating, "format") ? { format: fieldOf(form, "format", HTMLSelectElement).value || null } : {};
  const proves = isShown(creating, "proves") ? { proves: typedProves(creating) } : {};
  const { id, message, warnings = [] } = await post("/api/archives", { kind, label, ...address, ...format, ...proves, ...Object.keys(credential).length && { credential } });
  await finish(creating, sentences([message, ...warnings]), String(id), "credential");
  // Asked at once what the stored one gives.
  if (!Object.keys(credential).length) return;
  find(cards, `[data-archive-card="${id}"] [data-act="credential"]`).click();
  find(credential.cookie === undefined && credential.user_agent === undefined ? keying : crediting, "[data-cookie-test], [data-test-key]").click();
}));

onSubmit(formOf(keying), () => refusing(keying, async () => {
  const credential = credentialIn(keying, chosen.kind);
  const address = addressOfKey();
  if (!Object.keys(credential).length) {
    if (address !== null) throw new ApiError(0, "", gettext("Another address needs the credential again."), { field: "credential" });
    sayDone(formOf(keying), gettext("Nothing was changed."));
    return;
  }
  await post(`/api/archives/${chosen.id}`, { ...address !== null && { address }, credential });
  noteCredential(chosen);
  await finish(keying, gettext("Credential saved."), chosen.id, "credential");
}));

testing.addEventListener("click", () => { if (!isCounting(testing)) void alone(testing, () => refusing(keying, testKey)); });

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

/** The address in the dialog of a key, where it is another one; else null. */
function addressOfKey() {
  const address = isShown(keying, "address") ? fieldOf(formOf(keying), "address").value.trim() : chosen.address;
  return address === chosen.address ? null : address;
}

/** Tests what is typed, or the stored credential, and says what it gives. */
async function testKey() {
  const archive = chosen;
  const credential = credentialIn(keying, archive.kind);
  if (addressOfKey() !== null) throw new ApiError(0, "", gettext("Save the address first: a test asks the one that is stored."), { field: "address" });
  sayTested("wait", gettext("Asking…"));
  try {
    const { ok, message } = await post(`/api/archives/${archive.id}/test`, Object.keys(credential).length ? { credential } : {});
    if (archive === chosen) sayTested(ok ? "fine" : "failed", message);
  } catch (error) {
    if (archive !== chosen) return;
    const isElsewhere = !(error instanceof ApiError) || error.body.field;
    sayTested(error.retryAfter ? "wait" : "failed", isElsewhere ? "" : error.message);
    if (isElsewhere) throw error;
    if (error.retryAfter) countDown(testing, error.retryAfter, () => { if (tested.dataset.outcome === "wait") sayTested("", ""); }, tested);
  }
}

/**
 * @param {string} outcome
 * @param {string} message Nothing is shown for an empty one.
 */
function sayTested(outcome, message) {
  tested.hidden = !message;
  tested.dataset.outcome = outcome;
  tested.textContent = message;
}

/**
 * @param {HTMLDialogElement} dialog
 * @param {Chosen} archive
 */
function open(dialog, archive) {
  choose(dialog, archive);
  const form = formOf(dialog);
  form.reset();
  clear(form);
  dialog.showModal();
  find(form, form.querySelector("input") ? "input" : "select").focus();
  return dialog;
}

/**
 * @param {HTMLDialogElement} dialog
 * @param {Chosen} archive
 */
function choose(dialog, archive) {
  chosen = archive;
  for (const name of findAll(dialog, "[data-name]")) name.textContent = archive.label;
}

/** @param {Chosen} archive */
function openNaming(archive) {
  const field = fieldOf(formOf(open(renaming, archive)), "label");
  field.value = archive.label;
  field.select();
}

/** @param {Chosen} archive */
function openKey(archive) {
  showFields(open(keying, archive), archive.kind);
  sayTested("", "");
  // That of another archive may still last.
  testing.ariaBusy = null;
  if (isShown(keying, "address")) fieldOf(formOf(keying), "address").value = archive.address;
  find(keying, "[data-kinds]:not([hidden]) input:not([name=address])").focus();
}

/** @param {Chosen} archive */
function openCredential(archive) {
  choose(crediting, archive);
  crediting.showModal();
  byId("cookie").focus();
}

/**
 * Tells the frame of a credential that was stored or removed, where its archive is the shown one.
 * @param {Chosen} archive
 */
function noteCredential({ id }) {
  if (find(document, `#archive-${id}`).hasAttribute("data-shown")) document.dispatchEvent(new CustomEvent("archive:cookie"));
}

/** Shows the archives as they are stored, also in the menus of the bar. */
async function showArchives() {
  const page = await reread();
  const held = focused()?.closest("#archives [data-act]");
  for (const id of ["archives", "archive-sums", "archives-about"]) byId(id).replaceChildren(...byId(id, HTMLElement, page).childNodes);
  // The answer to a test may come once its dialog is closed: the button that has the focus is then drawn anew.
  if (held instanceof HTMLElement) focusOn(held.closest("section")?.dataset.archiveCard ?? "", held.dataset.act ?? "");
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
  const [own, first] = [act, "import"].map((name) => findAll(cards, `[data-archive-card="${id}"] [data-act="${name}"]`)[0]);
  (own ?? first ?? newArchive).focus();
}

/** The page of the first archive, once the shown one is deleted. */
function leave() {
  keepArchive("");
  location.replace(at("/archives"));
}
