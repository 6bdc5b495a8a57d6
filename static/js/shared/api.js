// All requests of the pages: the CSRF token, JSON, error messages, and the dialogs for a session that has ended and for a
// password that the server asks for again. What is about one archive names that of the page, if it is not the first.

import { at } from "./addresses.js";
import { attendance } from "./attendance.js";
import { isOfProxy, noteAnswer, noteSilence } from "./connection.js";
import { fill, gettext } from "./i18n.js";
import { addressOfOwnArchive, isOfSameArchive, named } from "./own_archive.js";
import { byId } from "./page_elements.js";
import { queryFrom } from "./query.js";
import { signedOutDialog } from "./signed_out_dialog.js";

export class ApiError extends Error {
  /**
   * @param {number} status
   * @param {string} code
   * @param {string} message
   * @param {Record<string, any>} [body]
   * @param {number} [retryAfter] The seconds to wait, where the answer names them.
   */
  constructor(status, code, message, body = {}, retryAfter = 0) {
    super(message);
    this.status = status;
    this.code = code;
    this.body = body;
    this.retryAfter = retryAfter;
  }
}

// Reads in progress that cannot be aborted, by address: the same read is not sent twice but shares the answer, until a change.
const underWay = new Map();

/**
 * The JSON answer of a GET; throws ApiError, or the abort of `signal`.
 * @param {string} path
 * @param {ManyParams} [params]
 * @param {AbortSignal} [signal]
 * @returns {Promise<any>}
 */
export function get(path, params = {}, signal) {
  const address = named(addressOf(path, params));
  const asking = underWay.get(address) ?? withPassword(() => ask(address, { signal }));
  if (!signal && !underWay.has(address)) {
    const done = () => { if (underWay.get(address) === asking) underWay.delete(address); };
    underWay.set(address, asking);
    asking.then(done, done);
  }
  return asking;
}

/**
 * The answer of a GET of exactly this address, as it comes, whatever its status; throws ApiError where none comes.
 * @param {string} path
 * @param {ManyParams} [params]
 */
export async function getText(path, params = {}) {
  const address = addressOf(path, params);
  const answer = await textAt(address);
  return answer.status === 403 && isForPassword(answer.text) && (await askForPassword()) ? textAt(address) : answer;
}

/** @param {string} address */
async function textAt(address) {
  const response = await reach(address, {});
  requireSameAccount(response);
  const { status, headers } = response;
  if (status === 401) saySignedOut();
  return { status, type: headers.get("Content-Type") ?? "", text: await response.text() };
}

/** @param {string} text */
function isForPassword(text) {
  try {
    return JSON.parse(text).error === "reauthenticate";
  } catch {
    return false;
  }
}

/**
 * @param {string} path
 * @param {ManyParams} params
 */
function addressOf(path, params) {
  const query = queryFrom(params).toString();
  return query ? `${path}?${query}` : path;
}

/**
 * The JSON answer of a POST of `body`; throws ApiError, with an empty message if the dialog reports that the session has ended.
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<any>}
 */
export const post = (path, body = {}) => withPassword(() => sendWithToken(named(path), body));

/**
 * Whether a protected link can be followed; asks for the password first if the server requires it.
 * @param {string} path
 */
export async function mayFollow(path) {
  const { status } = await reach(path, { method: "HEAD" });
  return status !== 403 || askForPassword();
}

/**
 * The answer of a request. If the server asks for the password again, the request is repeated once it is entered.
 * @param {() => Promise<any>} request
 */
async function withPassword(request) {
  try {
    return await request();
  } catch (error) {
    if (error.code !== "reauthenticate" || !(await askForPassword(error.body.second_factor === true))) throw error;
    return request();
  }
}

/**
 * The JSON answer of a POST of a form with a file; throws as `post`.
 * @param {string} path
 * @param {FormData} form
 * @returns {Promise<any>}
 */
export const postForm = (path, form) => withPassword(() => sendWithToken(named(path), form));

/** Whether the password was entered again. The dialog's script is loaded when a server first asks for it: few visits need it. */
async function askForPassword(withFactor = false) {
  const { askPassword } = await import("./password_dialog.js");
  return askPassword((given) => sendWithToken("/api/reauthenticate", given), withFactor);
}

/**
 * @param {string} path
 * @param {object} body
 */
async function sendWithToken(path, body) {
  try {
    return await send(path, body);
  } catch (error) {
    if (error.code === "unauthorized") throw signedOut();
    if (error.code !== "csrf") throw error;
    // The token may belong to an earlier session: a sign-in in another tab created a new one. The request had no effect.
    if (!(await renewToken())) throw signedOut();
    return await send(path, body);
  } finally {
    // A read that began before the change may not know it: what is read from now on must not share its answer.
    underWay.clear();
  }
}

const signedOut = () => new ApiError(401, "unauthorized", "");

/**
 * @param {string} path
 * @param {object} body
 */
function send(path, body) {
  /** @type {Record<string, string>} */
  const headers = { "X-CSRF-Token": window.WB_CSRF };
  // The browser names the type of a form with its boundary.
  if (body instanceof FormData) return ask(path, { method: "POST", headers, body });
  headers["Content-Type"] = "application/json";
  return ask(path, { method: "POST", headers, body: JSON.stringify(body) });
}

/**
 * @param {string} path
 * @param {RequestInit} options
 * @param {boolean} [repeats] Whether a read that a proxy answered is repeated once if the server then answers.
 * @returns {Promise<any>}
 */
async function ask(path, options, repeats = !options.method) {
  const response = await reach(path, options);
  requireSameAccount(response);
  const body = await response.json().catch((error) => {
    if (error.name === "AbortError") throw error;
    return null;
  });
  if (body !== null || !isOfProxy(response.status)) noteAnswer();
  else if ((await noteSilence()) && repeats) return ask(path, options, false);
  if (response.ok && body !== null) return body;
  const code = response.headers.get("Archive-CSRF") === "refused" ? "csrf" : body?.error ?? "";
  if (response.status === 401 && code === "unauthorized") saySignedOut();
  throw new ApiError(response.status, code, body?.message || wordsFor(response.status), body ?? {}, Number(response.headers.get("Retry-After")) || 0);
}

/**
 * Refuses an answer of another account: somebody else has signed in in another tab.
 * @param {Response} response
 */
function requireSameAccount({ headers }) {
  const [answered, own] = [headers.get("Archive-Account"), accountOf(document)];
  if (!answered || !own || answered === own) return;
  saySignedOut();
  throw signedOut();
}

/**
 * @param {string} path From the root of the service, or a whole address.
 * @param {RequestInit} options
 * @param {boolean} [repeats] Whether a read without an answer is repeated once if the server then answers.
 * @returns {Promise<Response>}
 */
async function reach(path, { headers, ...options }, repeats = !options.method) {
  try {
    return await fetch(path.startsWith("/") ? at(path) : path, { credentials: "same-origin", headers: { Accept: "application/json", ...attendance(), ...headers }, ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    if ((await noteSilence()) && repeats) return reach(path, { headers, ...options }, false);
    throw new ApiError(0, "unreachable", gettext("The server cannot be reached."));
  }
}

/** @param {number} status */
function wordsFor(status) {
  if (status >= 200 && status < 300) return gettext("The server's answer cannot be read.");
  return fill(gettext("The server answered with status %(status)s."), { status });
}

// The sign-in happens in another tab and this page only takes over the new token, so that input is kept.
function saySignedOut() {
  const dialog = /** @type {HTMLDialogElement | null} */ (document.getElementById("signed-out")) ?? signedOutDialog(takeOverSession);
  if (!dialog.open) dialog.showModal();
}

/**
 * @param {HTMLDialogElement} dialog
 * @param {HTMLElement} text
 */
async function takeOverSession(dialog, text) {
  try {
    const page = await freshPage();
    if (adoptToken(page)) {
      dialog.close();
      document.dispatchEvent(new CustomEvent("archive:signed-in"));
    } else if (accountOf(page)) {
      location.reload();
    } else {
      text.textContent = gettext("You are not signed in yet. Sign in in a new tab first.");
    }
  } catch (error) {
    text.textContent = error.message;
  }
}

/** Whether this page got a new token, of a session of the same account. */
async function renewToken() {
  const adopted = adoptToken(await freshPage());
  if (!adopted) saySignedOut();
  return adopted;
}

/** @param {Document} page */
function adoptToken(page) {
  if (!accountOf(page) || accountOf(page) !== accountOf(document)) return false;
  window.WB_CSRF = byId("csrf", HTMLScriptElement, page).text.match(/"([^"]*)"/)?.[1] ?? "";
  return true;
}

/** This page as the server renders it now; throws ApiError. */
export async function reread() {
  const page = await freshPage();
  if (accountOf(page) === accountOf(document)) return page;
  saySignedOut();
  throw new ApiError(401, "unauthorized", gettext("You are signed out."));
}

/** @param {Document} page */
const accountOf = (page) => page.documentElement.dataset.account;

async function freshPage() {
  const page = await pageAt(location.href);
  // Another tab may have chosen another archive meanwhile.
  return accountOf(page) !== accountOf(document) || isOfSameArchive(page) ? page : pageAt(addressOfOwnArchive());
}

/** @param {string} address */
async function pageAt(address) {
  const response = await reach(address, { headers: { Accept: "text/html" } });
  if (!response.ok) throw new ApiError(response.status, "", wordsFor(response.status));
  return new DOMParser().parseFromString(await response.text(), "text/html");
}
