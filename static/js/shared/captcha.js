// The captcha's picture: another one by the button, and by itself once the shown one is used up or has run out.

const LIVES = 290_000; // the server forgets an answer after 300 s
const part = document.querySelector("[data-captcha]");

if (part) bind(part.querySelector("img"), part.querySelector("[data-captcha-new]"), part.querySelector("input"));

function bind(picture, button, answer) {
  const said = part.querySelector("[data-captcha-said]");
  let shownAt = Date.now();

  function renew(words) {
    const address = new URL(picture.src);
    address.searchParams.set("again", String(Date.now()));
    picture.src = address.href;
    answer.value = "";
    shownAt = Date.now();
    said.textContent = words;
  }

  // Where nobody looks, the next picture waits until somebody does.
  function renewIfRunOut() {
    if (!document.hidden && Date.now() - shownAt >= LIVES) renew(part.dataset.runOut);
  }

  button.hidden = false;
  button.addEventListener("click", () => {
    renew("");
    answer.focus();
  });
  picture.addEventListener("error", () => { said.textContent = part.dataset.unreachable; });
  // Coming back by the browser's own memory shows a picture that is used up.
  window.addEventListener("pageshow", (event) => { if (event.persisted) renew(""); });
  document.addEventListener("visibilitychange", renewIfRunOut);
  setInterval(renewIfRunOut, 5000);
}
