// The fields of a schema as rows, those of inner objects by their path.

import { marked } from "./marked_words.js";

/**
 * The schema that a reference means.
 * @param {ApiSchema} schema
 * @param {ApiDocument} whole
 * @returns {ApiSchema}
 */
export function resolved(schema, whole) {
  return schema.$ref ? whole.components.schemas[schema.$ref.split("/").at(-1) ?? ""] : schema;
}

/**
 * The fields of an object, of the objects of a list or of a map, and of each form that an answer may have.
 * @param {ApiSchema} given
 * @param {ApiDocument} whole
 * @param {string} [path]
 * @returns {{path: string, schema: ApiSchema, optional: boolean}[]}
 */
export function fieldsOf(given, whole, path = "") {
  const schema = resolved(given, whole);
  if (schema.items) return fieldsOf(schema.items, whole, `${path}[].`);
  if (typeof schema.additionalProperties === "object") return fieldsOf(schema.additionalProperties, whole, `${path}.*.`);
  if (schema.anyOf) return schema.anyOf.flatMap((one) => fieldsOf(one, whole, path));
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const inner = resolved(field, whole);
    const isObject = Boolean(inner.properties || inner.anyOf);
    const own = { path: `${path}${name}`, schema: field, optional: !schema.required?.includes(name) };
    return [own, ...fieldsOf(field, whole, isObject ? `${path}${name}.` : `${path}${name}`)];
  });
}

/**
 * @param {ApiSchema} schema
 * @param {ApiDocument} whole
 */
export function rows(schema, whole) {
  return fieldsOf(schema, whole).map((one) => row(one.optional ? `${one.path}?` : one.path, one.schema, whole));
}

/**
 * A name with its kind and what is said of it.
 * @param {string} name
 * @param {ApiSchema} schema
 * @param {ApiDocument} whole
 * @param {string} [about]
 */
export function row(name, schema, whole, about = resolved(schema, whole).description ?? "") {
  const made = document.createElement("div");
  const [term, details] = [document.createElement("dt"), document.createElement("dd")];
  const [shown, type, words] = [document.createElement("code"), document.createElement("code"), document.createElement("span")];
  shown.className = "name";
  shown.textContent = name;
  type.className = "kind";
  type.textContent = kindOf(schema, whole);
  words.lang = "en";
  words.translate = false;
  words.append(...marked(about));
  term.append(shown);
  details.append(type, " ", words);
  made.append(term, details);
  return made;
}

/**
 * The kind of a value, as in code: its type, its values or its bounds.
 * @param {ApiSchema} given
 * @param {ApiDocument} whole
 * @returns {string}
 */
export function kindOf(given, whole) {
  if (given.$ref) return given.$ref.split("/").at(-1) ?? "";
  if ("const" in given) return JSON.stringify(given.const);
  if (given.enum) return given.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (given.anyOf) return given.anyOf.map((one) => kindOf(one, whole)).join(" | ");
  const types = [given.type ?? "object"].flat();
  return types.map((type) => (type === "array" && given.items ? `${kindOf(given.items, whole)}[]` : type + bounds(given, type))).join(" | ");
}

/**
 * @param {ApiSchema} schema
 * @param {string} type
 */
function bounds({ minimum, maximum, format, default: usual }, type) {
  if (type === "null") return "";
  const span = minimum !== undefined && maximum !== undefined ? ` ${minimum}–${maximum}` : "";
  return `${format ? ` ${format}` : ""}${span}${usual === undefined ? "" : ` = ${usual}`}`;
}
