// The person elsewhere who signs in to the account: the card is on the page where the instance has a provider.

import { post, reread } from "../../shared/api.js";
import { confirmed } from "../../shared/confirmation.js";
import { byId, find, targetOf } from "../../shared/page_elements.js";

const card = document.getElementById("elsewhere");
card?.addEventListener("click", (event) => {
  if (targetOf(event).closest("[data-unlink]")) void unlink(card);
});

/** @param {HTMLElement} place */
async function unlink(place) {
  const [shown, error, done] = ["elsewhere", "elsewhere-error", "elsewhere-done"].map((name) => find(place, `[data-${name}]`));
  if (!(await confirmed(byId("elsewhere-remove", HTMLDialogElement), ""))) return;
  error.hidden = true;
  try {
    done.textContent = (await post("/api/openid/remove")).message;
    shown.replaceChildren(...find(await reread(), "[data-elsewhere]").childNodes);
    // With the button the focus would be lost.
    done.focus();
  } catch (failure) {
    error.textContent = failure.message;
    error.hidden = !failure.message;
  }
}
