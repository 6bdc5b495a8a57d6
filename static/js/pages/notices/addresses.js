// Addresses of notices: added by service, named, tested and removed; below them what was sent.

import { post, reread } from "../../shared/api.js";
import { onSubmit, sayDone, sayToForm } from "../../shared/form_fields.js";
import { gettext } from "../../shared/i18n.js";
import { byId, fieldOf, find, findAll, targetOf } from "../../shared/page_elements.js";
import { untilTried } from "./test_wait.js";

const form = byId("address", HTMLFormElement);
const service = fieldOf(form, "service", HTMLSelectElement);
const list = find(document, "[data-addresses]");
const dialog = byId("rename", HTMLDialogElement);
const renaming = find(dialog, "form", HTMLFormElement);

/** Shows the fields of the chosen service; those of others are disabled, so they are not sent. */
function showFields() {
  for (const fields of findAll(form, "fieldset", HTMLFieldSetElement)) {
    fields.hidden = fields.disabled = fields.dataset.service !== service.value;
  }
}

service.addEventListener("change", showFields);
// A browser that goes back keeps the choice.
window.addEventListener("pageshow", showFields);

onSubmit(form, async () => {
  const { message } = await post("/api/notices", { add: Object.fromEntries(new FormData(form)) });
  form.reset();
  showFields();
  await showLists();
  sayDone(form, message);
});

list.addEventListener("click", async (event) => {
  const button = targetOf(event).closest("button");
  if (!button || list.ariaBusy === "true") return;
  const { rename, remove: removed, test: tested = "" } = button.dataset;
  if (rename) {
    openDialog(rename, button.dataset.name ?? "");
    return;
  }
  list.ariaBusy = "true";
  sayToForm(form, "");
  try {
    await (removed ? remove(removed) : test(tested));
  } catch (error) {
    sayToForm(form, error instanceof Error ? error.message : String(error));
  } finally {
    list.ariaBusy = "false";
  }
});

onSubmit(renaming, async () => {
  const rename = { id: dialog.dataset.address, name: fieldOf(renaming, "name").value };
  const { message } = await post("/api/notices", { rename });
  // The focus goes back to the button, which the new list has, too.
  dialog.close();
  await showLists();
  sayDone(form, message);
});
find(dialog, "[data-cancel]").addEventListener("click", () => dialog.close());

/**
 * @param {string} id
 * @param {string} name
 */
function openDialog(id, name) {
  dialog.dataset.address = id;
  fieldOf(renaming, "name").value = name;
  sayToForm(renaming, "");
  dialog.showModal();
}

/** @param {string} id */
async function remove(id) {
  const { message } = await post("/api/notices", { remove: id });
  await showLists();
  sayDone(form, message);
  service.focus();
}

/**
 * Sends a test, and waits until it was tried.
 * @param {string} id
 */
async function test(id) {
  const { message } = await post("/api/notices/test", { id });
  sayDone(form, message);
  await untilTried(async () => !(await showLists()).querySelector("[data-sent] li:first-child [data-waiting]"));
  sayDone(form, gettext("How the test went is listed below."));
}

/** Shows addresses and what was sent as they are now; a button keeps the focus. */
async function showLists() {
  const page = await reread();
  const focused = list.contains(document.activeElement) ? document.activeElement?.ariaLabel : null;
  for (const part of ["[data-addresses]", "[data-sent]"]) {
    find(document, part).replaceChildren(...find(page, part, HTMLElement).cloneNode(true).childNodes);
  }
  if (focused) findAll(list, "button", HTMLButtonElement).find((button) => button.ariaLabel === focused)?.focus();
  return document;
}
