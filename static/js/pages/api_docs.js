// The description of the API, by its parts: each endpoint opens to its parameters and answers, and reads can be tried.

import { get } from "../shared/api.js";
import { gettext } from "../shared/i18n.js";
import { byId, copyOf, fieldOf, find, findAll } from "../shared/page_elements.js";
import { marked } from "./api_docs/marked_words.js";
import { fillOperation } from "./api_docs/operation.js";

// The groups have English names in the description, which is the same in each language.
/** @type {Record<string, string>} */
const GROUPS = {
  Reads: gettext("Reads"), Collection: gettext("Collection"), Accounts: gettext("Accounts"), Backups: gettext("Backups"),
  Audit_and_log: gettext("Audit and log"), Views_and_budgets: gettext("Views and budgets"),
};
const part = byId("api");
const form = find(part, "form", HTMLFormElement);
const text = fieldOf(form, "q");
const list = find(part, "[data-operations]");
const failed = find(part, "[data-failed]");

form.addEventListener("submit", (event) => event.preventDefault());
text.addEventListener("input", filter);
find(part, "[data-again]").addEventListener("click", load);
load();

async function load() {
  part.setAttribute("aria-busy", "true");
  failed.hidden = true;
  try {
    show(await get("/api/openapi.json"));
    filter();
    openLinked();
  } catch (error) {
    find(failed, "[data-failed-text]").textContent = error.message;
    failed.hidden = false;
  } finally {
    part.removeAttribute("aria-busy");
  }
}

/** @param {ApiDocument} whole */
function show(whole) {
  const operations = Object.entries(whole.paths).flatMap(([path, methods]) => Object.entries(methods).map(([method, spec]) => ({ path, method, spec })));
  // What only reads comes first.
  operations.sort((one, other) => Number(one.method !== "get") - Number(other.method !== "get"));
  list.replaceChildren(...whole.tags.map(({ name }) => {
    const section = document.createElement("section");
    const title = document.createElement("h2");
    title.textContent = GROUPS[name.replaceAll(" ", "_")] ?? name;
    section.append(title, ...operations.filter(({ spec }) => spec.tags.includes(name)).map((one) => entry(whole, one)));
    return section;
  }));
}

/**
 * @param {ApiDocument} whole
 * @param {ApiOperationAt} operation
 */
function entry(whole, operation) {
  const { path, method, spec } = operation;
  const made = /** @type {HTMLDetailsElement} */ (copyOf(byId("operation", HTMLTemplateElement)));
  made.id = spec.operationId;
  find(made, "[data-method]").textContent = method.toUpperCase();
  find(made, "[data-path]").textContent = path;
  find(made, "[data-summary]").append(...marked(spec.summary));
  made.dataset.text = `${method} ${path} ${spec.summary}`.toLowerCase();
  // Sixty operations with all their fields are thousands of elements, so each is filled when it opens first.
  made.addEventListener("toggle", () => {
    if (!made.open || "filled" in made.dataset) return;
    made.dataset.filled = "";
    fillOperation(made, whole, operation);
  });
  return made;
}

function filter() {
  const wanted = text.value.trim().toLowerCase();
  for (const one of findAll(list, "details")) one.hidden = !one.dataset.text?.includes(wanted);
  for (const section of findAll(list, "section")) section.hidden = !section.querySelector("details:not([hidden])");
  find(part, "[data-empty]").hidden = list.querySelector("details:not([hidden])") !== null;
}

/** Opens the operation that the address names. */
function openLinked() {
  const linked = document.getElementById(location.hash.slice(1));
  if (!(linked instanceof HTMLDetailsElement) || !list.contains(linked)) return;
  linked.open = true;
  linked.scrollIntoView();
}
