// The accounts of the instance: created, edited and deleted in dialogs. The server renders the table; each change reads it again.

import { ApiError, post, reread } from "../shared/api.js";
import { clear, onSubmit, say, sayDone } from "../shared/form_fields.js";
import { fill, gettext, sentences } from "../shared/i18n.js";
import { byId, fieldOf, find, findAll, targetOf } from "../shared/page_elements.js";
import { tableMenuIn } from "../shared/table_menu.js";
import "./users/invitations.js";

const people = byId("people");
const said = byId("said");
const newUser = byId("new-user");
const [creating, editing, deleting] = ["create", "edit", "delete"].map((id) => byId(id, HTMLDialogElement));
/** @type {DOMStringMap} The data of the row of the open dialog. */
let chosen = {};

newUser.addEventListener("click", () => open(creating, {}));
tableMenuIn(people);
tableMenuIn(byId("invitations"));
people.addEventListener("click", (event) => {
  const button = targetOf(event).closest("[data-act]");
  if (!button) return;
  const row = { ...button.closest("tr")?.dataset };
  if (button.dataset.act === "edit") openEditor(row);
  else openDeletion(row);
});
for (const button of findAll(document, "[data-cancel]")) {
  button.addEventListener("click", () => button.closest("dialog")?.close());
}
fieldOf(formOf(deleting), "keep_data").addEventListener("change", showWhereDataStays);

onSubmit(formOf(creating), async () => {
  const answer = await post("/api/users", typed(creating));
  await finish(creating, withWarning(answer), answer.id);
});

onSubmit(formOf(editing), async () => {
  const changes = editedFields();
  const { subject = "", remove_factor: removes } = typed(editing);
  const said = [];
  try {
    if (Object.keys(changes).length) said.push(withWarning(await post(`/api/users/${chosen.id}`, changes)));
    if (!("own" in chosen) && String(subject).trim() !== (chosen.subject ?? "")) said.push((await post(`/api/users/${chosen.id}/openid`, { subject })).message);
    if (removes) said.push((await post(`/api/users/${chosen.id}/second-factor/reset`)).message);
  } catch (error) {
    // What was stored before stays, and the row shows it.
    if (!said.length || !(error instanceof ApiError)) throw error;
    said.push(error.message);
  }
  if (said.length) await finish(editing, sentences(said), chosen.id);
  else sayDone(formOf(editing), gettext("Nothing was changed."));
});

onSubmit(formOf(deleting), async () => {
  const [confirm, keep] = ["confirm", "keep_data"].map((name) => fieldOf(formOf(deleting), name));
  if (confirm.value.trim() !== chosen.username) {
    say(confirm, fill(gettext("Type %(name)s to delete this account."), { name: chosen.username ?? "" }));
    confirm.focus();
    return;
  }
  const { message } = await post(`/api/users/${chosen.id}/delete`, { keep_data: keep.checked });
  const way = gettext("%(message)s To transfer it to another account, run: %(command)s");
  const command = `manage.py adopt_archive ${chosen.id} NAME`;
  await finish(deleting, keep.checked ? fill(way, { message, command }) : message, null);
});

/**
 * @param {HTMLDialogElement} dialog
 * @param {DOMStringMap} row
 */
function open(dialog, row) {
  const form = formOf(dialog);
  chosen = row;
  form.reset();
  clear(form);
  for (const name of findAll(dialog, "[data-name]")) name.textContent = row.username ?? "";
  dialog.showModal();
  find(form, "input:not([hidden])").focus();
}

/**
 * The message of an answer, and why the new password is easy to guess if it is.
 * @param {{message: string, warning?: string}} answer
 */
const withWarning = ({ message, warning }) => sentences([message, warning ?? ""]);

/** @param {DOMStringMap} row */
function openEditor(row) {
  const [name, email, admin, status, username] = ["display_name", "email", "is_admin", "status", "username"].map((one) => fieldOf(formOf(editing), one));
  const own = "own" in row;
  const shown = { own, others: !own, factor: !own && "factor" in row };
  for (const part of findAll(editing, "[data-for]")) part.hidden = !shown[/** @type {keyof typeof shown} */ (part.dataset.for)];
  open(editing, row);
  for (const field of findAll(editing, "[name=subject]", HTMLInputElement)) field.value = row.subject ?? "";
  name.value = row.display ?? "";
  email.value = row.email ?? "";
  admin.checked = row.role === "admin";
  status.checked = row.status === "active";
  username.value = row.username ?? "";
}

/** @param {DOMStringMap} row */
function openDeletion(row) {
  open(deleting, row);
  for (const id of findAll(deleting, "[data-id]")) id.textContent = row.id ?? "";
  showWhereDataStays();
  fieldOf(formOf(deleting), "confirm").focus();
}

function showWhereDataStays() {
  find(deleting, "[data-kept]").hidden = !fieldOf(formOf(deleting), "keep_data").checked;
}

/** @param {HTMLDialogElement} dialog */
function typed(dialog) {
  const fields = findAll(formOf(dialog), "input[name]", HTMLInputElement);
  return Object.fromEntries(fields.map((field) => [field.name, field.type === "checkbox" ? field.checked : field.value]));
}

/** The fields that differ from the row. The role, state and password of the account itself are not changed here. */
function editedFields() {
  const { display_name: name, email, is_admin: admin, status, password, password2 } = typed(editing);
  const changes = {};
  if (name !== chosen.display) changes.display_name = name;
  if (email !== chosen.email) changes.email = email;
  if ("own" in chosen) return changes;
  if (admin !== (chosen.role === "admin")) changes.is_admin = admin;
  if (status !== (chosen.status === "active")) changes.status = status ? "active" : "disabled";
  // The API treats an empty password as none.
  if (password2 && !password) throw new ApiError(0, "", gettext("A password is needed."));
  if (password) Object.assign(changes, { password, password2 });
  return changes;
}

/**
 * Closes the dialog, shows the message, reads the table again and restores the focus.
 * @param {HTMLDialogElement} dialog
 * @param {string} message
 * @param {string | number | null | undefined} id
 */
async function finish(dialog, message, id) {
  dialog.close();
  said.textContent = message;
  try {
    people.replaceChildren(...byId("people", HTMLElement, await reread()).childNodes);
  } catch (error) {
    said.textContent = fill(gettext("%(message)s The table could not be refreshed: %(reason)s"), { message, reason: error.message });
  }
  (findAll(people, `tr[data-id="${id}"] [data-act=edit]`)[0] ?? newUser).focus();
}

/** @param {HTMLDialogElement} dialog */
function formOf(dialog) {
  return find(dialog, "form", HTMLFormElement);
}
