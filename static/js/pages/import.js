// Importing a file: what it holds is shown first; columns that are not recognised are chosen by hand.

import { at } from "../shared/addresses.js";
import { ApiError, postForm } from "../shared/api.js";
import { clear, onSubmit, sayDone, sayToForm } from "../shared/form_fields.js";
import { whole } from "../shared/formats.js";
import { fill, gettext, listed, ngettext } from "../shared/i18n.js";
import { byId, fieldOf, find, findAll } from "../shared/page_elements.js";

const ADDRESS = "/api/import";
const FIGURES = ["new", "known", "repeated", "conflicting", "prompts", "too_old", "unreadable", "damaged"];
const form = byId("choose", HTMLFormElement);
const mapping = byId("mapping");
const encodings = byId("encodings");
const encoding = fieldOf(form, "encoding", HTMLSelectElement);
const found = byId("found");
const importing = byId("apply", HTMLFormElement);
const link = find(importing, "[data-run]", HTMLAnchorElement);
const chosen = fieldOf(form, "file");

chosen.addEventListener("change", () => { forget(); mapping.hidden = true; encodings.hidden = true; clear(form); });
encoding.addEventListener("change", () => { mapping.hidden = true; });
for (const field of [...findAll(mapping, "select"), encoding, fieldOf(form, "zone")]) field.addEventListener("change", forget);

// Counts what was chosen, so that an answer about an earlier choice is not shown.
let choice = 0;

onSubmit(form, async () => {
  forget();
  const asked = choice;
  if (!chosen.files?.length) {
    sayToForm(form, gettext("Choose a file."));
    return;
  }
  try {
    const answer = await working(form, () => postForm(ADDRESS, contents(true)));
    if (asked !== choice) return;
    show(answer);
    importing.hidden = answer.new + answer.known + answer.conflicting === 0 && !answer.runs;
  } catch (error) {
    if (error instanceof ApiError && error.body.headers) offer(error.body.headers, error.body.columns);
    if (error instanceof ApiError && error.body.encodings) offerEncodings(error.body.encodings);
    throw error;
  }
});

onSubmit(importing, async () => {
  const { result } = await working(importing, () => postForm(ADDRESS, contents(false)));
  show(result);
  sayDone(importing, result.message);
  find(importing, "button").hidden = true;
  // With the button the focus would be lost.
  find(importing, "[data-form-done]").focus();
  link.href = at(`/runs/${result.id}`);
  link.hidden = false;
});

/**
 * The answer of a request, during which the bar of the form moves.
 * @param {HTMLFormElement} part
 * @param {() => Promise<any>} ask
 */
async function working(part, ask) {
  const bar = find(part, "progress");
  bar.hidden = false;
  try {
    return await ask();
  } finally {
    bar.hidden = true;
  }
}

/** @param {boolean} dryRun */
function contents(dryRun) {
  const sent = new FormData();
  sent.append("columns", JSON.stringify(byHand()));
  sent.append("zone", fieldOf(form, "zone").value.trim());
  if (!encodings.hidden) sent.append("encoding", encoding.value);
  if (dryRun) sent.append("dry_run", "1");
  const [file] = chosen.files ?? [];
  sent.append("file", file);
  return sent;
}

/** The columns chosen by hand, by field; empty for a field that no column has. */
function byHand() {
  if (mapping.hidden) return {};
  const selects = findAll(mapping, "select", HTMLSelectElement);
  return Object.fromEntries(selects.map(({ name, value }) => [name, value]));
}

/**
 * Offers the columns of the file for each field.
 * @param {string[]} headers
 * @param {Record<string, string | null>} columns
 */
function offer(headers, columns) {
  for (const select of findAll(mapping, "select", HTMLSelectElement)) {
    const options = headers.map((name) => new Option(name, name));
    select.replaceChildren(new Option("–", ""), ...options);
    select.value = columns[select.name] ?? "";
  }
  mapping.hidden = false;
}

/** @param {string[]} names likely ones first */
function offerEncodings(names) {
  const select = find(encodings, "select", HTMLSelectElement);
  select.replaceChildren(...names.map((name) => new Option(name, name)));
  encodings.hidden = false;
}

/** Hides what was found before: it no longer belongs to the choice. */
function forget() {
  choice += 1;
  found.hidden = true;
  importing.hidden = true;
  link.hidden = true;
  find(importing, "button").hidden = false;
  clear(importing);
}

/** @param {any} answer */
function show(answer) {
  for (const name of FIGURES) find(found, `[data-figure="${name}"]`).textContent = whole(answer[name]);
  // A report of sums has days, and no calls.
  const days = answer.days === undefined ? [] : [fill(ngettext("sums of %(count)s day", "sums of %(count)s days", answer.days), { count: whole(answer.days) })];
  find(found, "[data-about]").textContent = [answer.format, answer.encoding, ...days].join(" · ");
  const { examples } = answer;
  put("new", examples.new.map((/** @type {any} */ one) => [one.request_id, [one.ts, one.model, one.client, one.credits].filter((part) => part !== "").join(" · ")]));
  put("conflicting", examples.conflicting.map((/** @type {any} */ one) => [one.request_id, listed(one.differs)]));
  put("unreadable", examples.unreadable.map((/** @type {any} */ one) => [rowOf(one), one.reason]));
  put("damaged", examples.damaged.map((/** @type {any} */ one) => [rowOf(one), `${one.column}: ${one.value}`]));
  find(found, "[data-damaged]").hidden = !answer.damaged;
  find(found, "[data-too-old]").hidden = !answer.too_old;
  const further = answer.archives ?? [];
  put("archives", further.map((/** @type {any} */ one) => [one.label, countsOf(one)]));
  find(found, '[data-figure="archives"]').textContent = whole(further.length);
  find(found, "[data-further]").hidden = !further.length;
  for (const part of findAll(found, "[data-of-account]")) part.hidden = !answer.runs;
  if (answer.runs) showAccount(answer);
  found.hidden = false;
}

/** @param {{row: number}} one */
const rowOf = (one) => fill(gettext("row %(row)s"), { row: whole(one.row) });

/** @param {any} archive one beside the first */
function countsOf({ runs, ...counts }) {
  const names = ["new", "known", "conflicting", "unreadable"];
  const written = Object.fromEntries(names.map((name) => [name, whole(counts[name])]));
  return fill(
    gettext("new: %(new)s · already known: %(known)s · with other values: %(conflicting)s · cannot be read: %(unreadable)s · new runs: %(runs)s"),
    { ...written, runs: whole(runs.new) },
  );
}

/** @param {any} answer */
function showAccount({ runs, settings, profile }) {
  find(found, "[data-runs]").textContent = whole(runs.new);
  const lines = Object.entries({ ...profile, ...settings });
  find(found, "[data-settings]").replaceChildren(...lines.map(([name, value]) => item(name, value)));
}

/**
 * @param {string} name
 * @param {[string, string][]} lines
 */
function put(name, lines) {
  const list = find(found, `[data-examples="${name}"]`);
  list.replaceChildren(...lines.map(([term, words]) => item(term, words)));
}

/**
 * @param {string} term
 * @param {string} words
 */
function item(term, words) {
  const line = document.createElement("li");
  const code = document.createElement("code");
  code.textContent = term;
  line.append(code, ` ${words}`);
  return line;
}
