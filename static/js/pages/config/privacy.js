// How much of prompts the account keeps, and making what is stored the same.

import { post, reread } from "../../shared/api.js";
import { onReturn } from "../../shared/connection.js";
import { confirmed } from "../../shared/confirmation.js";
import { onSubmit, sayDone } from "../../shared/form_fields.js";
import { byId, fieldOf, find } from "../../shared/page_elements.js";

// Milliseconds between two looks at how far it is.
const PAUSE = 2000;
const card = byId("privacy");
const form = byId("privacy-form", HTMLFormElement);
const said = find(card, "[data-said]");
const progress = find(card, "[data-progress]");

onSubmit(form, async () => {
  const mode = new FormData(form).get("mode");
  sayDone(form, (await post("/api/privacy", { mode, length: fieldOf(form, "length").value })).message);
});

find(card, "[data-apply]").addEventListener("click", async () => {
  if (!(await confirmed(byId("privacy-apply", HTMLDialogElement), ""))) return;
  try {
    said.textContent = (await post("/api/privacy/apply")).message;
    void watch();
  } catch (error) {
    said.textContent = error.message;
  }
});

const isUnderWay = () => progress.querySelector("[data-under-way]") !== null;
let isWatching = false;
if (isUnderWay()) void watch();
onReturn(() => { if (isUnderWay()) void watch(); });

/** Shows how far it is until all is done, or the page cannot be read: it goes on when the server answers again. */
async function watch() {
  if (isWatching) return;
  isWatching = true;
  try {
    do {
      await new Promise((resume) => { setTimeout(resume, PAUSE); });
      progress.replaceChildren(...find(await reread(), "[data-progress]").childNodes);
    } while (isUnderWay());
    said.textContent = "";
  } catch (error) {
    said.textContent = error.message;
  } finally {
    isWatching = false;
  }
}
