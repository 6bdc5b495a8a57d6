// The picture of the captcha: replaced by the button, and automatically once it is used or has expired.

import { find } from "./page_elements.js";

const LIVES = 290_000; // milliseconds; the server forgets an answer after 300 s
const captcha = document.querySelector("[data-captcha]");

if (captcha instanceof HTMLElement) bind(captcha);

/** @param {HTMLElement} part */
function bind(part) {
  const picture = find(part, "img", HTMLImageElement);
  const button = find(part, "[data-captcha-new]");
  const answer = find(part, "input", HTMLInputElement);
  const said = find(part, "[data-captcha-said]");
  let shownAt = Date.now();

  const renew = (/** @type {string} */ words) => {
    const address = new URL(picture.src);
    address.searchParams.set("again", String(Date.now()));
    picture.src = address.href;
    answer.value = "";
    shownAt = Date.now();
    said.textContent = words;
  };
  // On a hidden page, the next picture is loaded when the page becomes visible.
  const renewIfRunOut = () => {
    if (!document.hidden && Date.now() - shownAt >= LIVES) renew(part.dataset.runOut ?? "");
  };

  button.hidden = false;
  button.addEventListener("click", () => {
    renew("");
    answer.focus();
  });
  picture.addEventListener("error", () => { said.textContent = part.dataset.unreachable ?? ""; });
  // A page from the back/forward cache shows a picture that is already used.
  window.addEventListener("pageshow", (event) => { if (event.persisted) renew(""); });
  document.addEventListener("visibilitychange", renewIfRunOut);
  setInterval(renewIfRunOut, 5000);
}
