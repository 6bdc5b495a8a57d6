// The form that takes a cookie. It is emptied once the cookie is stored: nothing shows it again.

import { get, post } from "archive/api";
import { say } from "archive/fields";
import { withoutKey } from "archive/formats";

/** Binds the page's cookie form; `stored(settings)` gets the settings as they are after a cookie was saved. */
export function bindCookieForm(stored) {
  const form = document.querySelector("[data-cookie-form]");
  const done = form.querySelector("[data-cookie-done]");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = form.elements.cookie.value.trim();
    done.textContent = "";
    say(form.elements.cookie, text ? "" : "Paste a cookie first.");
    if (!text) return;
    const button = form.querySelector("button");
    button.disabled = true;
    try {
      const { changed } = await post("/api/settings", { cookie: text });
      form.reset();
      done.textContent = changed.includes("user_agent") ? "Cookie and User-Agent saved." : "Cookie saved.";
      await announce(stored);
    } catch (error) {
      say(form.elements.cookie, withoutKey(error.message, "cookie"));
    } finally {
      button.disabled = false;
    }
  });
}

/** Forgets the cookie. */
export async function clearCookie(stored) {
  await post("/api/settings", { cookie: "__clear__" });
  await announce(stored);
}

async function announce(stored) {
  document.dispatchEvent(new CustomEvent("archive:cookie"));
  stored(await get("/api/settings"));
}
