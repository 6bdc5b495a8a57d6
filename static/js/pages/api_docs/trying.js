// Trying a read: a field for each parameter, and the answer as it comes.

import { at } from "../../shared/addresses.js";
import { getText, mayFollow } from "../../shared/api.js";
import { whole } from "../../shared/formats.js";
import { fill, gettext } from "../../shared/i18n.js";
import { find, findAll } from "../../shared/page_elements.js";
import { queryFrom } from "../../shared/query.js";

// Letters of an answer that are shown: a bundle has millions.
const MOST_SHOWN = 100_000;
// Other answers are files.
const TEXTS = /^(text\/|application\/(json|x-ndjson))/;

/**
 * @param {HTMLElement} made
 * @param {ApiOperationAt} operation
 */
export function prepareTrying(made, operation) {
  const part = find(made, '[data-part="try"]');
  part.hidden = operation.method !== "get";
  if (part.hidden) return;
  const form = find(part, "form", HTMLFormElement);
  find(form, ".try-fields").append(...(operation.spec.parameters ?? []).map((one) => field(one, operation)));
  form.addEventListener("submit", (event) => { event.preventDefault(); send(part, form, operation); });
}

/**
 * @param {ApiParameter} parameter
 * @param {ApiOperationAt} operation
 */
function field({ name, in: place, schema, required }, { spec }) {
  const made = document.createElement("div");
  made.className = "field";
  const label = document.createElement("label");
  const code = document.createElement("code");
  code.textContent = required ? `${name} *` : name;
  label.append(code);
  label.htmlFor = `${spec.operationId}-${name}`;
  const input = schema.enum ? choice(schema.enum) : typed(schema);
  input.id = label.htmlFor;
  input.name = name;
  input.dataset.place = place;
  input.required = Boolean(required);
  made.append(label, input);
  return made;
}

/** @param {unknown[]} values */
function choice(values) {
  const select = document.createElement("select");
  select.className = "form-select";
  select.translate = false;
  select.append(new Option("", ""), ...values.map((value) => new Option(String(value), String(value))));
  return select;
}

/** @param {ApiSchema} schema */
function typed({ type, examples }) {
  const input = document.createElement("input");
  input.className = "form-control";
  input.autocomplete = "off";
  input.spellcheck = false;
  input.inputMode = type === "integer" ? "numeric" : "text";
  input.translate = false;
  input.placeholder = examples ? String(examples[0]) : "";
  return input;
}

/**
 * @param {HTMLElement} part
 * @param {HTMLFormElement} form
 * @param {ApiOperationAt} operation
 */
async function send(part, form, { path, spec }) {
  if (form.getAttribute("aria-busy")) return;
  const [said, shown] = [find(part, "[data-said]"), find(part, "pre")];
  const given = findAll(form, "input, select", HTMLElement).map((one) => /** @type {HTMLInputElement | HTMLSelectElement} */ (one));
  const missing = given.find((one) => one.required && !one.value);
  if (missing) {
    said.textContent = fill(gettext("%(name)s is needed."), { name: missing.name });
    missing.focus();
    return;
  }
  const { address, params } = addressOf(path, given);
  if (!("application/json" in (contentOf(spec) ?? {}))) {
    if (await mayFollow(address)) location.assign(at(`${address}?${queryFrom(params)}`));
    return;
  }
  form.setAttribute("aria-busy", "true");
  const begun = performance.now();
  const { status, type, text } = await getText(address, params).catch((error) => ({ status: error.status, type: "text/plain", text: error.message }));
  form.removeAttribute("aria-busy");
  if (!TEXTS.test(type)) {
    location.assign(at(`${address}?${queryFrom(params)}`));
    return;
  }
  const answer = type.startsWith("application/json") ? indented(text) : text;
  said.textContent = fill(gettext("%(status)s after %(time)s ms"), { status, time: whole(Math.round(performance.now() - begun)) });
  shown.textContent = answer.length > MOST_SHOWN ? `${answer.slice(0, MOST_SHOWN)}…` : answer;
  shown.hidden = false;
}

/**
 * JSON with a line for each value, its numbers with the digits that the server wrote; what is none as it is.
 * @param {string} text
 */
function indented(text) {
  // Not all browsers report the digits.
  const { rawJSON } = /** @type {any} */ (JSON);
  /** @type {(key: string, value: unknown, context?: { source?: string }) => unknown} */
  const asWritten = (_, value, context) => (typeof value === "number" && context?.source && rawJSON ? rawJSON(context.source) : value);
  try {
    return JSON.stringify(JSON.parse(text, asWritten), null, 2);
  } catch {
    return text;
  }
}

/**
 * The path with what it names, and the parameters that were given.
 * @param {string} path
 * @param {(HTMLInputElement | HTMLSelectElement)[]} given
 */
function addressOf(path, given) {
  const named = given.filter(({ dataset }) => dataset.place === "path");
  const params = Object.fromEntries(given.filter((one) => one.dataset.place === "query" && one.value).map((one) => [one.name, one.value]));
  return { address: named.reduce((made, one) => made.replace(`{${one.name}}`, encodeURIComponent(one.value)), path), params };
}

/** @param {ApiOperation} spec */
function contentOf({ responses }) {
  const answer = responses["200"];
  return answer && "content" in answer ? answer.content : undefined;
}
