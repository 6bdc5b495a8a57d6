// Deleting the own account: the name and the password are asked for, and the way leads out.

import { at } from "../../shared/addresses.js";
import { post } from "../../shared/api.js";
import { clear, onSubmit } from "../../shared/form_fields.js";
import { byId, fieldOf, find } from "../../shared/page_elements.js";

const dialog = byId("leave", HTMLDialogElement);
const form = find(dialog, "form", HTMLFormElement);

find(document, "[data-leave]").addEventListener("click", () => {
  form.reset();
  clear(form);
  dialog.showModal();
  fieldOf(form, "username").focus();
});
find(dialog, "[data-cancel]").addEventListener("click", () => dialog.close());

onSubmit(form, async () => {
  const fields = Object.fromEntries([...new FormData(form)]);
  await post("/api/account/delete", { password: "", ...fields });
  location.assign(at("/login"));
});
