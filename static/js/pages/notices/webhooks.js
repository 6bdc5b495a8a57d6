// Webhooks: listed, created, changed, tested and deleted; the secret of a new one is shown once.

import { get, post, reread } from "../../shared/api.js";
import { confirmed } from "../../shared/confirmation.js";
import { onSubmit, sayDone, sayToForm } from "../../shared/form_fields.js";
import { gettext } from "../../shared/i18n.js";
import { byId, fieldOf, find, findAll, targetOf } from "../../shared/page_elements.js";
import { shownOnce } from "../../shared/shown_once.js";
import { untilTried } from "./test_wait.js";

const form = byId("webhook", HTMLFormElement);
const address = fieldOf(form, "address");
const list = find(document, "[data-webhooks]");
const dialog = byId("webhook-delete", HTMLDialogElement);
const changeDialog = byId("webhook-change", HTMLDialogElement);
const changing = find(changeDialog, "form", HTMLFormElement);
const show = shownOnce(byId("new-webhook"), address);

onSubmit(form, async () => {
  const { message, secret } = await post("/api/webhooks", { address: address.value, events: eventsOf(form) });
  form.reset();
  show(secret);
  await showWebhooks();
  sayDone(form, message);
});

list.addEventListener("click", async (event) => {
  const button = targetOf(event).closest("button");
  if (!button || list.ariaBusy === "true") return;
  const { testWebhook, changeWebhook, deleteWebhook = "", address: shown = "" } = button.dataset;
  if (changeWebhook) {
    openChange(changeWebhook, button.dataset.events ?? "");
    return;
  }
  if (!testWebhook && !(await confirmed(dialog, shown))) return;
  list.ariaBusy = "true";
  sayToForm(form, "");
  try {
    await (testWebhook ? test(testWebhook) : remove(deleteWebhook));
  } catch (error) {
    sayToForm(form, error instanceof Error ? error.message : String(error));
  } finally {
    list.ariaBusy = "false";
  }
});

onSubmit(changing, async () => {
  const { message } = await post(`/api/webhooks/${changeDialog.dataset.webhook}`, { events: eventsOf(changing) });
  // The focus goes back to the button, which the new list has, too.
  changeDialog.close();
  await showWebhooks();
  sayDone(form, message);
});
find(changeDialog, "[data-cancel]").addEventListener("click", () => changeDialog.close());

/**
 * @param {string} id
 * @param {string} events
 */
function openChange(id, events) {
  changeDialog.dataset.webhook = id;
  for (const one of findAll(changing, "input", HTMLInputElement)) one.checked = events.split(" ").includes(one.name);
  sayToForm(changing, "");
  changeDialog.showModal();
}

/**
 * The events that are switched on in a form.
 * @param {HTMLFormElement} chosen
 */
function eventsOf(chosen) {
  return findAll(chosen, "input[type=checkbox]", HTMLInputElement).filter((one) => one.checked).map((one) => one.name);
}

/** @param {string} id */
async function remove(id) {
  const { message } = await post(`/api/webhooks/${id}/delete`);
  await showWebhooks();
  sayDone(form, message);
  address.focus();
}

/**
 * Sends a test, and waits until it was tried.
 * @param {string} id
 */
async function test(id) {
  const before = (await stored(id))?.last?.at;
  const { message } = await post(`/api/webhooks/${id}/test`);
  sayDone(form, message);
  await untilTried(async () => {
    const now = await stored(id);
    return !now || now.waiting === 0 || now.last?.at !== before;
  });
  await showWebhooks();
  sayDone(form, gettext("How the test went is listed with the webhook."));
}

/** @param {string} id */
async function stored(id) {
  /** @type {{ items: Webhook[] }} */
  const { items } = await get("/api/webhooks");
  return items.find((one) => String(one.id) === id);
}

/** Shows the webhooks as they are stored, and which of them get notices; a button keeps the focus. */
async function showWebhooks() {
  const page = await reread();
  const focused = list.contains(document.activeElement) ? document.activeElement?.ariaLabel : null;
  for (const part of ["[data-webhooks]", "[data-addresses]"]) {
    find(document, part).replaceChildren(...find(page, part).childNodes);
  }
  if (focused) findAll(list, "button", HTMLButtonElement).find((button) => button.ariaLabel === focused)?.focus();
}
