// Invitation links: created in a dialog that shows the link once, listed and revoked below the accounts.

import { post, reread } from "../../shared/api.js";
import { copyText } from "../../shared/clipboard.js";
import { confirmed } from "../../shared/confirmation.js";
import { clear, onSubmit } from "../../shared/form_fields.js";
import { fill, gettext } from "../../shared/i18n.js";
import { byId, fieldOf, find, targetOf } from "../../shared/page_elements.js";

const opener = byId("invite");
const dialog = byId("inviting", HTMLDialogElement);
const form = find(dialog, "form", HTMLFormElement);
const given = find(dialog, "[data-given]");
const link = byId("invite-link", HTMLInputElement);
const copied = find(dialog, "[data-copied]");
const list = byId("invitations");
const question = byId("invitation-revoke", HTMLDialogElement);
const said = byId("said");

opener.addEventListener("click", () => {
  form.reset();
  clear(form);
  showStep(form);
  dialog.showModal();
  fieldOf(form, "username").focus();
});

onSubmit(form, async () => {
  const [username, name] = ["username", "display_name"].map((field) => fieldOf(form, field).value);
  const { message, path, expires_at: until } = await post("/api/users/invitations", { username, display_name: name });
  link.value = new URL(path, location.href).href;
  find(given, "[data-until]").textContent = until.slice(0, 16);
  copied.textContent = "";
  showStep(given);
  link.select();
  await showList(message);
});

// The link is in no other place of the page.
dialog.addEventListener("close", () => { link.value = ""; });

find(given, "[data-copy]").addEventListener("click", async () => {
  copied.textContent = (await copyText(link.value, dialog)) ? gettext("Copied.") : gettext("Copy the link with the keyboard.");
  link.select();
});

list.addEventListener("click", async (event) => {
  const button = targetOf(event).closest("[data-revoke]");
  const id = button?.closest("tr")?.dataset.invitation;
  if (!id || list.ariaBusy === "true" || !(await confirmed(question, button.ariaLabel ?? ""))) return;
  list.ariaBusy = "true";
  try {
    await revoke(id);
  } finally {
    list.ariaBusy = "false";
  }
});

/** @param {string} id */
async function revoke(id) {
  try {
    const { message } = await post(`/api/users/invitations/${id}/revoke`);
    await showList(message);
  } catch (error) {
    // Another administrator may have revoked it, or it has been used.
    await showList(error.message);
  }
  (list.querySelector("[data-revoke]") instanceof HTMLElement ? find(list, "[data-revoke]") : opener).focus();
}

/** @param {HTMLElement} step */
function showStep(step) {
  form.hidden = step !== form;
  given.hidden = step !== given;
}

/**
 * Shows the message, and the open invitations as they are stored.
 * @param {string} message
 */
async function showList(message) {
  said.textContent = message;
  try {
    const fresh = byId("invitations", HTMLElement, await reread());
    list.replaceChildren(...fresh.childNodes);
    list.hidden = fresh.hidden;
  } catch (error) {
    said.textContent = fill(gettext("%(message)s The table could not be refreshed: %(reason)s"), { message, reason: error.message });
  }
}
