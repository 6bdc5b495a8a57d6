// The form for a cookie, and its test. The form is emptied once the cookie is stored: no page shows it again.

import { get, post } from "./api.js";
import { countDown, isCounting } from "./countdown.js";
import { say } from "./form_fields.js";
import { minutes, ofCodeBuddy } from "./formats.js";
import { fill, gettext } from "./i18n.js";
import { alone } from "./one_at_a_time.js";
import { fieldOf, find } from "./page_elements.js";
import { watchChanges } from "./unsaved.js";

/** @type {Record<string, string>} */
const FAILURES = {
  expired: gettext("The cookie has expired"),
  user_agent_refused: gettext("The User-Agent does not match"),
  wrong_host: gettext("The cookie belongs to another host"),
  cookie_too_large: gettext("The cookie is too large"),
  api_moved: gettext("The usage API was not found"),
  network: gettext("CodeBuddy cannot be reached"),
  api: gettext("CodeBuddy has a problem"),
};
// A page or an address, which are next to the right item in the menu.
const NO_COOKIE = /^(<|https?:\/\/)/i;
// A cookie, its value alone, JSON, or a file with tabs.
const SIGN_OF_COOKIE = /[=|{\t]/;
const COMMAND = /^\W*(curl|wget|http|invoke-|\$)/i;
/**
 * @typedef {(settings: Settings) => void} Stored Gets the settings after the cookie was saved or deleted.
 * @typedef {object} Saved
 * @property {string[]} [changed]
 * @property {string[]} [warnings]
 * @property {string} [said] What is said of it, instead of the words for a cookie.
 * @typedef {object} Place Where a cookie is stored and tested.
 * @property {(text: string) => Promise<Saved>} save
 * @property {(text: string) => Promise<CookieTest & {ok: boolean}>} test The text, or the stored cookie for an empty one.
 * @property {() => Promise<void>} stored Shows what is stored.
 * @property {() => boolean} isFilled Whether something else than a cookie is typed, which can be saved without one.
 * @typedef {object} Uses
 * @property {() => unknown} answered Called once the upstream may have answered to the stored cookie.
 * @property {Stored} [stored] Of the settings.
 * @property {Place} [place] The settings, unless it is another one.
 * @property {boolean} [tests] Whether a cookie is tested at once when it is saved.
 */

const CODES_OF_THE_COOKIE = new Set(["no_cookie", "cookie_broken", "invalid"]);

/** The text that the upstream has just accepted. */
let accepted = "";
/** Counts the cookies that the form was for: an answer about an earlier one is not shown. */
let turn = 0;
let renewSave = () => {};
/** @type {(() => unknown) | null} Tests the stored cookie, where the page does so as soon as it is saved. */
let retest = null;

/**
 * The settings as the place of a cookie.
 * @param {Stored} stored
 * @returns {Place}
 */
const settingsPlace = (stored) => ({
  save: (text) => post("/api/settings", { cookie: text }),
  test: (text) => post("/api/credential/test", text ? { cookie: text } : {}),
  stored: () => announce(stored),
  isFilled: () => false,
});

/**
 * Binds the cookie form of the page.
 * @param {Uses} uses
 */
export function bindCookieForm(uses) {
  const place = uses.place ?? settingsPlace(uses.stored ?? (() => {}));
  const form = find(document, "[data-cookie-form]", HTMLFormElement);
  const saving = find(document, "[data-cookie-save]");
  const testing = find(document, "[data-cookie-test]");
  const field = fieldOf(form, "cookie", HTMLTextAreaElement);
  renewSave = watchChanges(form, () => Number(field.value.trim() !== "" || place.isFilled()));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    alone(saving, () => save(field, uses, place));
  });
  testing.addEventListener("click", () => {
    if (!isCounting(testing)) alone(testing, () => test(testing, field, uses, place));
  });
  // The result of the test belongs to another text.
  form.addEventListener("input", () => show(null));
  if (uses.tests) retest = () => alone(testing, () => test(testing, field, uses, place, true));
}

/**
 * Deletes the stored cookie.
 * @param {Stored} stored
 */
export async function clearCookie(stored) {
  await post("/api/settings", { cookie: "__clear__" });
  show(null);
  warn([]);
  await announce(stored);
}

/**
 * The description of the stored cookie, from `cookie_hint` of the settings.
 * @param {string} hint
 */
export function hintWords(hint) {
  const [, chars, tail] = hint.match(/^(\d+) chars(?:, \.\.\.(.*))?$/) ?? ["", hint, ""];
  return tail ? fill(gettext("%(chars)s chars, ...%(tail)s"), { chars, tail }) : fill(gettext("%(chars)s chars"), { chars });
}

/**
 * The error of a text that cannot be a cookie, found before it replaces a good one; empty if there is none.
 * @param {string} text
 */
function doubtOf(text) {
  if (!text) return gettext("Paste a cookie first.");
  // The server checks commands.
  const isElse = NO_COOKIE.test(text) || !(SIGN_OF_COOKIE.test(text) || COMMAND.test(text));
  return isElse ? gettext("This is not a cookie. Choose “Copy as cURL” in the developer tools, and paste the whole command.") : "";
}

/** Empties the form, for another cookie. */
export function resetCookieForm() {
  const form = find(document, "[data-cookie-form]", HTMLFormElement);
  form.reset();
  turn += 1;
  accepted = "";
  say(fieldOf(form, "cookie", HTMLTextAreaElement), "");
  find(document, "[data-cookie-done]").textContent = "";
  warn([]);
  show(null);
  renewSave();
}

/**
 * @param {HTMLTextAreaElement} field
 * @param {Uses} uses
 * @param {Place} place
 */
async function save(field, { answered }, place) {
  const text = field.value.trim();
  const done = find(document, "[data-cookie-done]");
  done.textContent = "";
  warn([]);
  const doubt = !text && place.isFilled() ? "" : doubtOf(text);
  say(field, doubt);
  if (doubt) return;
  const asked = turn;
  try {
    const { changed = [], warnings = [], said } = await place.save(text);
    if (asked !== turn) {
      await place.stored();
      return;
    }
    field.value = "";
    warn(warnings);
    const words = said ?? (changed.includes("user_agent") ? gettext("Cookie and User-Agent saved.") : gettext("Cookie saved."));
    // Said last, because until then the button does nothing; and also where the settings cannot be read.
    await place.stored().finally(() => {
      renewSave();
      done.textContent = words;
    });
    // Not awaited: another text may be saved at once.
    if (retest && text !== accepted) retest();
    else Promise.resolve(answered()).catch(() => {});
  } catch (error) {
    if (asked === turn) say(field, sentence(error.message));
  }
}

/**
 * Shows the doubts about the cookie that was saved.
 * @param {string[]} sentences
 */
function warn(sentences) {
  const paragraphs = sentences.map((words) => Object.assign(document.createElement("p"), { textContent: words }));
  find(document, "[data-cookie-warnings]").replaceChildren(...paragraphs);
}

/**
 * A refusal of the API, which follows the key's name, as a whole sentence.
 * @param {string} message
 */
function sentence(message) {
  return message.startsWith("cookie ") ? fill(gettext("The cookie %(refused)s"), { refused: message.slice("cookie ".length) }) : message;
}

/**
 * Tests the text in the field, or the stored cookie if the field is empty.
 * @param {HTMLElement} button
 * @param {HTMLTextAreaElement} field
 * @param {Uses} uses
 * @param {Place} place
 * @param {boolean} [again] Whether it is repeated after a wait.
 */
async function test(button, field, uses, place, again = false) {
  const text = field.value.trim();
  const doubt = text ? doubtOf(text) : "";
  say(field, doubt);
  if (doubt) return;
  show({ outcome: "wait", message: gettext("Asking CodeBuddy…") });
  const asked = turn;
  try {
    const answer = await place.test(text);
    if (!text) await uses.answered();
    if (asked !== turn) return;
    if (answer.ok) accepted = text;
    // The text may have changed during the request.
    show(field.value.trim() === text ? answer : null);
  } catch (error) {
    if (asked !== turn) return;
    const isTheCookies = CODES_OF_THE_COOKIE.has(error.code);
    // Without a message, a dialog has reported the error.
    show(isTheCookies || !error.message ? null : { outcome: "wait", message: error.message });
    if (error.retryAfter) countDown(button, error.retryAfter, () => (again && retest && !field.value ? retest() : hideWait()), document.querySelector("[data-tested] [data-tested-message]"));
    if (isTheCookies) say(field, error.code === "no_cookie" ? gettext("Paste a cookie first.") : sentence(error.message));
  }
}

/**
 * Shows the outcome of a test; clears it for null.
 * @param {CookieTest | null} answer
 */
function show(answer) {
  const place = find(document, "[data-tested]");
  place.replaceChildren();
  if (!answer) return;
  const template = find(document, "[data-tested-template]", HTMLTemplateElement);
  const node = document.importNode(template.content, true);
  find(node, ".tested").dataset.outcome = answer.outcome;
  const texts = { title: FAILURES[answer.outcome], message: answer.message, newest: newestWords(answer.newest), detail: answer.detail };
  for (const [name, text] of Object.entries(texts)) {
    const part = find(node, `[data-tested-${name}]`);
    part.textContent = text ?? "";
    part.hidden = !text;
  }
  place.append(node);
}

/** Hides how long to wait, once that is over. */
function hideWait() {
  if (document.querySelector('.tested[data-outcome="wait"]')) show(null);
}

/** @param {CookieTest["newest"]} call */
function newestWords(call) {
  if (!call) return "";
  const amount = call.credits === null ? "" : call.credits === 0 ? gettext("free") : fill(gettext("%(credits)s credits"), { credits: ofCodeBuddy(call.credits) });
  const facts = [minutes(call.ts), call.model, call.client, amount].filter(Boolean).join(" · ");
  return fill(gettext("Newest call: %(facts)s"), { facts });
}

/** @param {Stored} stored */
async function announce(stored) {
  document.dispatchEvent(new CustomEvent("archive:cookie"));
  stored(await get("/api/settings"));
}
