// The page of notices: addresses, events, quiet hours, and what was sent. Webhooks are in `notices/webhooks.js`.

import { post, reread } from "../shared/api.js";
import { onSubmit, sayDone, sayToForm } from "../shared/form_fields.js";
import { gettext } from "../shared/i18n.js";
import { byId, fieldOf, find, findAll } from "../shared/page_elements.js";
import { watchChanges } from "../shared/unsaved.js";
import { untilTried } from "./notices/test_wait.js";
import "./notices/webhooks.js";

const address = byId("address", HTMLFormElement);
const events = byId("events", HTMLFormElement);
const quiet = byId("quiet", HTMLFormElement);
const switches = findAll(events, "input", HTMLInputElement);
const summaries = byId("summaries", HTMLFormElement);
const chosen = findAll(summaries, "input", HTMLInputElement);
const times = ["quiet_from", "quiet_to"].map((name) => fieldOf(quiet, name));
const renewEvents = watchChanges(events, () => switches.some((one) => one.checked !== one.defaultChecked));
const renewSummaries = watchChanges(summaries, () => chosen.some((one) => one.checked !== one.defaultChecked));
const renewQuiet = watchChanges(quiet, () => times.some((one) => one.value !== one.defaultValue));

onSubmit(address, async () => {
  const field = fieldOf(address, "add");
  if (!field.value.trim()) {
    sayToForm(address, gettext("Enter an address."));
    return;
  }
  const { message } = await post("/api/notices", { add: field.value });
  field.value = "";
  await showLists();
  sayDone(address, message);
});

onSubmit(events, async () => {
  const { message } = await post("/api/notices", {
    events: Object.fromEntries(switches.map((one) => [one.name, one.checked])),
  });
  for (const one of switches) one.defaultChecked = one.checked;
  renewEvents();
  sayDone(events, message);
});

onSubmit(summaries, async () => {
  const [week, month, prompts] = chosen.map((one) => one.checked);
  const { message } = await post("/api/notices", { summaries: { week, month }, summary_prompts: prompts });
  for (const one of chosen) one.defaultChecked = one.checked;
  renewSummaries();
  sayDone(summaries, message);
});

onSubmit(quiet, async () => {
  const { message } = await post("/api/notices", Object.fromEntries(times.map((one) => [one.name, one.value])));
  for (const one of times) one.defaultValue = one.value;
  renewQuiet();
  sayDone(quiet, message);
});

find(document, "[data-addresses]").addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest("button") : null;
  if (button) void act(button);
});

/** @param {HTMLButtonElement} button */
async function act(button) {
  button.disabled = true;
  sayToForm(address, "");
  try {
    await (button.dataset.remove ? remove(button.dataset.remove) : test(button.dataset.test ?? ""));
  } catch (error) {
    sayToForm(address, error instanceof Error ? error.message : String(error));
  } finally {
    button.disabled = false;
  }
}

/** @param {string} id */
async function remove(id) {
  const { message } = await post("/api/notices", { remove: id });
  await showLists();
  sayDone(address, message);
}

/**
 * Sends a test, and waits until it was tried.
 * @param {string} id
 */
async function test(id) {
  const { message } = await post("/api/notices/test", { id });
  sayDone(address, message);
  await untilTried(async () => !(await showLists()).querySelector("[data-told] li:first-child [data-waiting]"));
  sayDone(address, gettext("How the test went is listed below."));
}

/** Shows addresses and what was sent as they are now. */
async function showLists() {
  const page = await reread();
  for (const list of ["[data-addresses]", "[data-told]"]) {
    find(document, list).replaceChildren(...find(page, list, HTMLElement).cloneNode(true).childNodes);
  }
  return document;
}
