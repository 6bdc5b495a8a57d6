// One record with all fields, the whole prompt and its links; beside the list if there is room, else over it.

import { at } from "../../shared/addresses.js";
import { get } from "../../shared/api.js";
import { copyText } from "../../shared/clipboard.js";
import { onReturn } from "../../shared/connection.js";
import { credits, whole } from "../../shared/formats.js";
import { colourOf } from "../../shared/model_colours.js";
import { marked } from "./record_hits.js";
import { timeOf } from "./record_list.js";
import { fill, gettext, ngettext } from "../../shared/i18n.js";
import { byId, find, targetOf } from "../../shared/page_elements.js";

const panel = byId("record", HTMLDialogElement);
const body = find(panel, ".record-body");
const found = find(panel, "[data-found]");
const missing = find(panel, "[data-missing]");
const failed = find(panel, "[data-failed]");
const title = byId("record-title");
const prompt = find(panel, ".record-prompt");
const copied = find(panel, "[data-copied]");
const beside = matchMedia("(min-width: 75rem)");
// A key held down steps through records faster than they load: only the record where it stops is requested.
const REST = 130;
let reading = new AbortController();
/** @type {number | undefined} */
let resting;
let steppedAt = -REST;
/** @type {{id: string, pattern: RegExp | null} | null} */
let asked = null;
/** @type {WholeRecord | null} */
let record = null;

/**
 * @typedef {"day" | import("../../shared/filter_names.js").Dim} Filtered
 * @typedef {object} PanelActs
 * @property {() => void} onClose
 * @property {(by: number) => void} onStep
 * @property {(name: Filtered, record: WholeRecord) => void} onFilter
 */

/**
 * Wires the panel.
 * @param {PanelActs} acts
 */
export function bindPanel({ onClose, onStep, onFilter }) {
  panel.addEventListener("click", (event) => {
    const target = targetOf(event);
    const { step, filter, copy } = target.closest("button")?.dataset ?? {};
    // A click on the dialog itself, outside its content, is a click on the page behind it.
    if (target.closest("[data-close]") || (target === panel && panel.matches(":modal"))) closePanel();
    else if (step) onStep(Number(step));
    else if (!record) return;
    else if (filter) onFilter(/** @type {Filtered} */ (filter), record);
    else if (copy) copyOut(copy === "prompt" ? record.prompt : linkTo(record.request_id));
  });
  // Escape closes it, too; `asked` is still set then.
  panel.addEventListener("close", () => { if (asked && !panel.open) onClose(); });
  beside.addEventListener("change", () => { if (panel.open) { panel.close(); open(); } });
  find(panel, "[data-again]").addEventListener("click", read);
  onReturn(() => { if (asked) read(); });
  document.addEventListener("archive:theme", paintPanel);
}

/**
 * Shows the record with an id, with the hits of a pattern marked. If it is in the list, its time is shown at once.
 * @param {string} id
 * @param {RegExp | null} pattern
 */
export function showRecord(id, pattern) {
  if (asked?.id === id && String(asked.pattern) === String(pattern)) return;
  asked = { id, pattern };
  title.textContent = timeOf(id) ?? title.textContent;
  open();
  readAtRest();
}

/** Reads at once after a single step; after quick steps, only when no other follows. */
function readAtRest() {
  const wait = steppedAt + REST - performance.now();
  steppedAt = performance.now();
  stopReading();
  body.setAttribute("aria-busy", "true");
  if (wait <= 0) read();
  else resting = setTimeout(read, REST);
}

/** Closes the panel when the address has no record; returns the id that it showed, or null. */
export function hideRecord() {
  if (!asked) return null;
  const { id } = asked;
  asked = null;
  stopReading();
  for (const part of [found, missing, failed]) part.hidden = true;
  panel.close();
  return id;
}

export const isOpen = () => panel.open;

/** Whether the panel covers the page as a modal dialog. */
export const isOver = () => panel.matches(":modal");

export function closePanel() {
  panel.close();
}

/**
 * Enables the steps to the record before and after this one.
 * @param {boolean} before
 * @param {boolean} after
 */
export function showSteps(before, after) {
  find(panel, '[data-step="-1"]', HTMLButtonElement).disabled = !before;
  find(panel, '[data-step="1"]', HTMLButtonElement).disabled = !after;
}

function open() {
  if (panel.open) return;
  if (beside.matches) panel.show();
  else panel.showModal();
}

function stopReading() {
  clearTimeout(resting);
  reading.abort();
}

async function read() {
  stopReading();
  if (!asked) return;
  reading = new AbortController();
  const { signal } = reading;
  body.setAttribute("aria-busy", "true");
  const answer = await get(`/api/records/${encodeURIComponent(asked.id)}`, {}, signal).catch((error) => { if (!signal.aborted) fail(error); });
  if (signal.aborted) return;
  body.setAttribute("aria-busy", "false");
  if (answer) show(answer);
}

/** @param {import("../../shared/api.js").ApiError} error */
function fail(error) {
  title.textContent = gettext("Record");
  find(panel, "[data-failed-text]").textContent = error.message;
  turnTo(error.status === 404 ? missing : failed);
}

/** @param {HTMLElement} shown */
function turnTo(shown) {
  for (const part of [found, missing, failed]) part.hidden = part !== shown;
  copied.textContent = "";
  body.scrollTop = 0;
}

/** @param {WholeRecord} answer */
function show(answer) {
  record = answer;
  showFields(answer);
  showPrompt(answer);
  paintPanel();
  turnTo(found);
  showFirstHit();
}

/** @param {WholeRecord} record */
function showFields(record) {
  const { model, client, run_id: run } = record;
  title.textContent = record.ts;
  for (const name of /** @type {const} */ (["ts", "request_id", "first_seen_at", "updated_at", "user_id"])) fact(name, record[name]);
  fact("credits", record.credits === 0 ? gettext("free") : credits(record.credits));
  showTokens(record.tokens ?? null);
  fact("model", model || gettext("no model"));
  fact("client", client || gettext("no client"));
  fact("agent_purpose", record.agent_purpose || gettext("no purpose"));
  fact("hour", `${record.day}, ${String(record.hour).padStart(2, "0")}:00`);
  showRun(run);
}

/**
 * What a call took and gave, where its source says so; no token counts twice.
 * @param {WholeRecord["tokens"] | null} tokens
 */
function showTokens(tokens) {
  find(panel, "[data-tokens]").hidden = !tokens;
  if (!tokens) return;
  const { in: taken, out, cache_read: read, cache_write: written } = tokens;
  const parts = [
    fill(gettext("%(count)s in"), { count: whole(taken) }),
    fill(gettext("%(count)s out"), { count: whole(out) }),
    read ? fill(gettext("%(count)s from the cache"), { count: whole(read) }) : "",
    written ? fill(gettext("%(count)s into the cache"), { count: whole(written) }) : "",
  ];
  fact("tokens", parts.filter(Boolean).join(" · "));
}

/** @param {WholeRecord} record */
function showPrompt({ prompt: text, prompt_truncated: isTruncated }) {
  const length = [...text].length;
  fact("length", length ? fill(ngettext("%(count)s character", "%(count)s characters", length), { count: whole(length) }) : "");
  button("copy", "prompt").hidden = !text;
  find(panel, "[data-truncated]").hidden = !isTruncated;
  find(panel, "[data-no-prompt]").hidden = Boolean(text);
  prompt.hidden = !text;
  prompt.replaceChildren(...marked(text, asked?.pattern ?? null));
}

/** @param {number | null} run */
function showRun(run) {
  const link = find(panel, "[data-run-link]", HTMLAnchorElement);
  link.textContent = run == null ? "–" : fill(gettext("Run %(number)s"), { number: run });
  if (run == null) link.removeAttribute("href");
  else link.href = at(`/runs/${run}`);
}

/** Gives the dot the colour of the model. */
export function paintPanel() {
  find(panel, ".dot").style.backgroundColor = colourOf(record?.model ?? "");
}

/** Scrolls to the first hit in the prompt if it is out of view. */
function showFirstHit() {
  const hit = prompt.querySelector("mark")?.getBoundingClientRect();
  const { bottom, height } = body.getBoundingClientRect();
  if (hit && hit.bottom > bottom) body.scrollTop += hit.bottom - bottom + height / 2;
}

/** @param {string} text */
async function copyOut(text) {
  copied.textContent = "";
  const done = await copyText(text, panel);
  copied.textContent = done ? gettext("Copied.") : gettext("The browser did not allow copying. Select the text and copy it with the keyboard.");
}

/** @param {string} id */
const linkTo = (id) => `${location.origin}${location.pathname}?${new URLSearchParams({ record: id })}`;

/**
 * @param {string} kind
 * @param {string} name
 */
const button = (kind, name) => find(panel, `[data-${kind}="${name}"]`);

/**
 * @param {string} name
 * @param {string | number} text
 */
function fact(name, text) {
  find(panel, `[data-fact="${name}"]`).textContent = String(text);
}
