// One endpoint: its parameters, body and answers.

import { find } from "../../shared/page_elements.js";
import { marked } from "./marked_words.js";
import { fieldsOf, row, rows } from "./schema_rows.js";
import { prepareTrying } from "./trying.js";

/**
 * @param {HTMLElement} made
 * @param {ApiDocument} whole
 * @param {ApiOperationAt} operation
 */
export function fillOperation(made, whole, operation) {
  const { spec } = operation;
  const about = find(made, "[data-about]");
  about.append(...marked(spec.description ?? ""));
  about.hidden = !spec.description;
  const taken = (spec.parameters ?? []).map((one) => row(one.name, one.schema, whole, one.description));
  put(made, "parameters", taken.length ? [listOf(taken)] : []);
  put(made, "body", Object.values(spec.requestBody?.content ?? {}).map(({ schema }) => listOf(rows(schema, whole))));
  put(made, "answers", Object.entries(spec.responses).map(([status, response]) => answer(whole, status, response)));
  prepareTrying(made, operation);
}

/**
 * @param {HTMLElement} made
 * @param {string} name
 * @param {Node[]} content
 */
function put(made, name, content) {
  const place = find(made, `[data-part="${name}"]`);
  place.append(...content);
  place.hidden = !content.length;
}

/**
 * @param {ApiDocument} whole
 * @param {string} status
 * @param {ApiResponse | ApiReference} response
 */
function answer(whole, status, response) {
  const { description, content = {} } = "$ref" in response ? whole.components.responses[response.$ref.split("/").at(-1) ?? ""] : response;
  const made = document.createElement("div");
  made.className = "status-row";
  const code = document.createElement("code");
  code.textContent = status;
  const words = document.createElement("span");
  words.lang = "en";
  words.translate = false;
  words.append(...marked(description));
  made.append(code, words);
  const [type, media] = Object.entries(content)[0] ?? [];
  if (!type || !media || !status.startsWith("2")) return made;
  const fields = fieldsOf(media.schema, whole).length ? rows(media.schema, whole) : [];
  const kind = document.createElement("code");
  kind.textContent = type;
  made.append(kind);
  if (fields.length) made.append(listOf(fields));
  return made;
}

/** @param {Node[]} items */
function listOf(items) {
  const list = document.createElement("dl");
  list.className = "fields";
  list.append(...items);
  return list;
}
