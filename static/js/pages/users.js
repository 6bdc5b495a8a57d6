// The accounts of the instance: made, edited and deleted in dialogs; the table is the server's, read again after each change.

import { ApiError, post, reread } from "../shared/api.js";
import { clear, onSubmit, say, sayDone } from "../shared/form_fields.js";
import { fill, gettext } from "../shared/i18n.js";

const people = document.getElementById("people");
const said = document.getElementById("said");
const newUser = document.getElementById("new-user");
const [creating, editing, deleting] = ["create", "edit", "delete"].map((id) => document.getElementById(id));
let chosen = {}; // the data of the row that a dialog speaks of

newUser.addEventListener("click", () => open(creating, {}));
people.addEventListener("click", ({ target }) => {
  const button = target.closest("[data-act]");
  if (!button) return;
  const row = { ...button.closest("tr").dataset };
  if (button.dataset.act === "edit") openEditor(row);
  else openDeletion(row);
});
for (const button of document.querySelectorAll("[data-cancel]")) {
  button.addEventListener("click", () => button.closest("dialog").close());
}
formOf(deleting).elements.keep_data.addEventListener("change", showWhereDataStays);

onSubmit(formOf(creating), async () => {
  const { message, id } = await post("/api/users", typed(creating));
  await finish(creating, message, id);
});

onSubmit(formOf(editing), async () => {
  const changes = editedFields();
  if (!Object.keys(changes).length) {
    sayDone(formOf(editing), gettext("Nothing was changed."));
    return;
  }
  const { message } = await post(`/api/users/${chosen.id}`, changes);
  await finish(editing, message, chosen.id);
});

onSubmit(formOf(deleting), async () => {
  const { confirm, keep_data: keep } = formOf(deleting).elements;
  if (confirm.value.trim() !== chosen.username) {
    say(confirm, fill(gettext("Type %(name)s to delete this account."), { name: chosen.username }));
    confirm.focus();
    return;
  }
  const { message } = await post(`/api/users/${chosen.id}/delete`, { keep_data: keep.checked });
  const way = gettext("%(message)s Give it to another account with: %(command)s");
  const command = `manage.py adopt_archive ${chosen.id} NAME`;
  await finish(deleting, keep.checked ? fill(way, { message, command }) : message, null);
});

function open(dialog, row) {
  const form = formOf(dialog);
  chosen = row;
  form.reset();
  clear(form);
  for (const name of dialog.querySelectorAll("[data-name]")) name.textContent = row.username;
  dialog.showModal();
  form.querySelector("input:not([hidden])").focus();
}

function openEditor(row) {
  const { display_name: name, email, is_admin: admin, status, username } = formOf(editing).elements;
  const own = "own" in row;
  for (const part of editing.querySelectorAll("[data-for]")) part.hidden = (part.dataset.for === "own") !== own;
  open(editing, row);
  name.value = row.display;
  email.value = row.email;
  admin.checked = row.role === "admin";
  status.checked = row.status === "active";
  username.value = row.username;
}

function openDeletion(row) {
  open(deleting, row);
  for (const id of deleting.querySelectorAll("[data-id]")) id.textContent = row.id;
  showWhereDataStays();
  formOf(deleting).elements.confirm.focus();
}

function showWhereDataStays() {
  deleting.querySelector("[data-kept]").hidden = !formOf(deleting).elements.keep_data.checked;
}

function typed(dialog) {
  const fields = [...formOf(dialog).elements].filter((field) => field.name);
  return Object.fromEntries(fields.map((field) => [field.name, field.type === "checkbox" ? field.checked : field.value]));
}

/** What differs from the row; one's own role, state and password are not changed here. */
function editedFields() {
  const { display_name: name, email, is_admin: admin, status, password, password2 } = typed(editing);
  const changes = {};
  if (name !== chosen.display) changes.display_name = name;
  if (email !== chosen.email) changes.email = email;
  if ("own" in chosen) return changes;
  if (admin !== (chosen.role === "admin")) changes.is_admin = admin;
  if (status !== (chosen.status === "active")) changes.status = status ? "active" : "disabled";
  // The API takes an empty password for none.
  if (password2 && !password) throw new ApiError(0, "", gettext("A password is needed."));
  if (password) Object.assign(changes, { password, password2 });
  return changes;
}

/** Closes the dialog, reads the table again, says what was done and gives the focus back. */
async function finish(dialog, message, id) {
  dialog.close();
  said.textContent = message;
  try {
    people.replaceChildren(...(await reread()).getElementById("people").childNodes);
  } catch (error) {
    said.textContent = fill(gettext("%(message)s The table could not be read again: %(reason)s"), { message, reason: error.message });
  }
  (people.querySelector(`tr[data-id="${id}"] [data-act=edit]`) ?? newUser).focus();
}

function formOf(dialog) {
  return dialog.querySelector("form");
}
