// The second factor: codes of an authenticator app, passkeys and recovery codes.

import { ApiError, post, reread } from "../../shared/api.js";
import { copyText } from "../../shared/clipboard.js";
import { confirmed } from "../../shared/confirmation.js";
import { onSubmit } from "../../shared/form_fields.js";
import { gettext } from "../../shared/i18n.js";
import { byId, fieldOf, find, findAll, focused, targetOf } from "../../shared/page_elements.js";

const card = byId("factor");
const list = find(card, "[data-factors]");
const codes = byId("new-codes", HTMLFormElement);
const passkey = document.getElementById("new-passkey");
const recovery = find(card, "[data-recovery]");
const error = find(card, "[data-factor-error]");
const done = find(card, "[data-factor-done]");

list.addEventListener("click", (event) => {
  const button = targetOf(event).closest("button");
  if (!button || list.ariaBusy === "true") return;
  const { removePasskey, name = "" } = button.dataset;
  if ("beginCodes" in button.dataset) void act(begin);
  else if ("removeCodes" in button.dataset) void act(() => ask("codes-remove", "", "/api/second-factor/codes/remove"));
  else if ("renew" in button.dataset) void act(() => ask("recovery-renew", "", "/api/second-factor/recovery"));
  else if (removePasskey) void act(() => ask("passkey-remove", name, `/api/second-factor/passkeys/${removePasskey}/remove`));
});

list.addEventListener("change", (event) => {
  const field = targetOf(event);
  if (field instanceof HTMLInputElement) void act(() => post("/api/second-factor/passkeys/alone", { alone: field.checked }));
});

onSubmit(codes, async () => {
  const answer = await post("/api/second-factor/codes/confirm", { code: fieldOf(codes, "code").value });
  codes.hidden = true;
  forgetSecret();
  await showAnswer(answer);
});

if (passkey instanceof HTMLFormElement) {
  onSubmit(passkey, async () => {
    const name = fieldOf(passkey, "name");
    const { publicKey } = await post("/api/second-factor/passkeys/options");
    const stored = await post("/api/second-factor/passkeys", { name: name.value, answer: await made(publicKey) });
    passkey.reset();
    await showAnswer(stored);
  });
}

find(recovery, "[data-copy-codes]").addEventListener("click", async () => {
  const isCopied = await copyText(find(recovery, "[data-codes]").textContent ?? "");
  find(recovery, "[data-codes-copied]").textContent = isCopied ? gettext("Copied.") : gettext("Select the text and copy it.");
});

find(recovery, "[data-hide-codes]").addEventListener("click", () => {
  recovery.hidden = true;
  find(recovery, "[data-codes]").textContent = "";
});

/** Shows a new secret; the present one stays in force until a code of the new one is entered. */
async function begin() {
  const { secret, picture } = await post("/api/second-factor/codes");
  find(codes, "[data-picture]", HTMLImageElement).src = picture;
  find(codes, "[data-secret]").textContent = secret.match(/.{1,4}/g).join(" ");
  codes.hidden = false;
  fieldOf(codes, "code").focus();
  return {};
}

/** Leaves nothing of the secret on the page. */
function forgetSecret() {
  codes.reset();
  find(codes, "[data-picture]", HTMLImageElement).removeAttribute("src");
  find(codes, "[data-secret]").textContent = "";
}

/**
 * What the browser has made of a question for a new passkey. What it refuses is said at the form.
 * @param {any} question
 */
async function made(question) {
  if (!window.PublicKeyCredential?.parseCreationOptionsFromJSON) throw refused(gettext("This browser has no passkeys."));
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(question);
  try {
    const credential = /** @type {PublicKeyCredential | null} */ (await navigator.credentials.create({ publicKey }));
    if (credential) return credential.toJSON();
  } catch (failure) {
    if (!(failure instanceof DOMException)) throw failure;
    if (failure.name === "InvalidStateError") throw refused(gettext("This device has a passkey of your account already."));
  }
  throw refused(gettext("No passkey was made."));
}

/** @param {string} message */
const refused = (message) => new ApiError(0, "", message);

/**
 * The answer to a change that the visitor has confirmed; nothing where it was cancelled.
 * @param {string} id The dialog.
 * @param {string} name
 * @param {string} path
 */
async function ask(id, name, path) {
  return (await confirmed(byId(id, HTMLDialogElement), name)) ? post(path) : {};
}

/** @param {() => Promise<any>} change */
async function act(change) {
  error.hidden = true;
  done.textContent = "";
  list.ariaBusy = "true";
  try {
    await showAnswer(await change());
  } catch (failure) {
    error.textContent = failure.message;
    error.hidden = !failure.message;
    await showStored();
  } finally {
    list.ariaBusy = "false";
  }
}

/** @param {{message?: string, recovery?: string[]}} answer */
async function showAnswer({ message = "", recovery: fresh = [] }) {
  if (fresh.length) {
    find(recovery, "[data-codes]").textContent = fresh.join("\n");
    find(recovery, "[data-codes-copied]").textContent = "";
    recovery.hidden = false;
  }
  if (message) await showStored();
  done.textContent = message;
  // They are shown only once.
  if (fresh.length) find(recovery, "[data-copy-codes]").focus();
  else if (message && document.activeElement === document.body) done.focus();
}

/** Shows the factors as they are stored; a control that is drawn anew keeps the focus. */
async function showStored() {
  const page = await reread();
  const control = focused();
  const held = control && list.contains(control) ? markOf(control) : "";
  list.replaceChildren(...find(page, "[data-factors]").childNodes);
  if (held) (findAll(list, "button, input").find((one) => markOf(one) === held) ?? done).focus();
}

/**
 * What tells a control from the others.
 * @param {HTMLElement} control
 */
const markOf = ({ id, ariaLabel, dataset }) => ariaLabel || id || Object.keys(dataset).join(" ");
