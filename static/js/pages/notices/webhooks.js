// Webhooks: listed, created, tested and deleted; the secret of a new one is shown once.

import { get, post, reread } from "../../shared/api.js";
import { confirmed } from "../../shared/confirmation.js";
import { onSubmit, sayDone, sayToForm } from "../../shared/form_fields.js";
import { gettext } from "../../shared/i18n.js";
import { byId, fieldOf, find, targetOf } from "../../shared/page_elements.js";
import { shownOnce } from "../../shared/shown_once.js";
import { untilTried } from "./test_wait.js";

const form = byId("webhook", HTMLFormElement);
const address = fieldOf(form, "address");
const list = find(document, "[data-webhooks]");
const dialog = byId("webhook-delete", HTMLDialogElement);
const show = shownOnce(byId("new-webhook"), address);

onSubmit(form, async () => {
  const { message, secret } = await post("/api/webhooks", { address: address.value });
  form.reset();
  show(secret);
  await showWebhooks();
  sayDone(form, message);
});

list.addEventListener("click", async (event) => {
  const button = targetOf(event).closest("button");
  if (!button || list.ariaBusy === "true") return;
  const { testWebhook, deleteWebhook = "", address: shown = "" } = button.dataset;
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

/** Shows the webhooks as they are stored. */
async function showWebhooks() {
  list.replaceChildren(...find(await reread(), "[data-webhooks]").childNodes);
}
