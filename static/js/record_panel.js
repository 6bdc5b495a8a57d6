// One record: beside the list where there is room, else over it. Every field, the whole prompt, and what leads on from it.

import { get } from "archive/api";
import { credits, whole } from "archive/formats";
import { colourOf } from "archive/models";
import { marked } from "archive/record-hits";
import { timeOf } from "archive/record-list";
import { fill, gettext, ngettext } from "archive/words";

const panel = document.getElementById("record");
const body = panel.querySelector(".record-body");
const found = panel.querySelector("[data-found]");
const missing = panel.querySelector("[data-missing]");
const failed = panel.querySelector("[data-failed]");
const title = document.getElementById("record-title");
const prompt = panel.querySelector(".record-prompt");
const copied = panel.querySelector("[data-copied]");
const beside = matchMedia("(min-width: 75rem)");
// A key held down passes by records faster than they could be read: only where it rests one is asked for.
const REST = 130;
let reading = new AbortController();
let resting;
let steppedAt = -REST;
let asked = null; // the id, and the pattern of the search
let record = null;

/** Wires the panel: `onClose()`, `onStep(by)`, `onFilter(name, record)`. */
export function bindPanel({ onClose, onStep, onFilter }) {
  panel.addEventListener("click", ({ target }) => {
    const { step, filter, copy } = target.closest("button")?.dataset ?? {};
    // The dialog itself is what lies around its content: the page behind it.
    if (target.closest("[data-close]") || (target === panel && panel.matches(":modal"))) closePanel();
    else if (step) onStep(Number(step));
    else if (filter) onFilter(filter, record);
    else if (copy) copyOut(copy === "prompt" ? record.prompt : linkTo(record.request_id));
  });
  // Escape closes it, too: what is still asked for was not closed from here.
  panel.addEventListener("close", () => { if (asked && !panel.open) onClose(); });
  beside.addEventListener("change", () => { if (panel.open) { panel.close(); open(); } });
  panel.querySelector("[data-again]").addEventListener("click", read);
  document.addEventListener("archive:signed-in", () => { if (asked) read(); });
  document.addEventListener("archive:theme", paintPanel);
}

/** Shows the record with an id, the hits of a pattern marked; its time stands there at once where the list knows it. */
export function showRecord(id, pattern) {
  if (asked?.id === id && String(asked.pattern) === String(pattern)) return;
  asked = { id, pattern };
  title.textContent = timeOf(id) ?? title.textContent;
  open();
  readAtRest();
}

/** Reads at once after a single step, after a quick one when no other follows. */
function readAtRest() {
  const wait = steppedAt + REST - performance.now();
  steppedAt = performance.now();
  stopReading();
  body.setAttribute("aria-busy", "true");
  if (wait <= 0) read();
  else resting = setTimeout(read, REST);
}

/** Takes the panel away because the address no longer asks for it; the id that it showed, or null. */
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

/** Whether the page behind is out of reach. */
export const isOver = () => panel.matches(":modal");

export function closePanel() {
  panel.close();
}

/** Says whether there is a record before and after this one. */
export function showSteps(before, after) {
  panel.querySelector('[data-step="-1"]').disabled = !before;
  panel.querySelector('[data-step="1"]').disabled = !after;
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
  reading = new AbortController();
  const { signal } = reading;
  body.setAttribute("aria-busy", "true");
  const answer = await get(`/api/records/${encodeURIComponent(asked.id)}`, {}, signal).catch((error) => { if (!signal.aborted) fail(error); });
  if (signal.aborted) return;
  body.setAttribute("aria-busy", "false");
  if (answer) show(answer);
}

function fail(error) {
  title.textContent = gettext("Record");
  panel.querySelector("[data-failed-text]").textContent = error.message;
  turnTo(error.status === 404 ? missing : failed);
}

function turnTo(shown) {
  for (const part of [found, missing, failed]) part.hidden = part !== shown;
  copied.textContent = "";
  body.scrollTop = 0;
}

function show(answer) {
  record = answer;
  showFields();
  showPrompt();
  paintPanel();
  turnTo(found);
  showFirstHit();
}

function showFields() {
  const { model, client, run_id: run } = record;
  title.textContent = record.ts;
  for (const name of ["ts", "request_id", "first_seen_at", "updated_at", "user_id"]) fact(name, record[name]);
  fact("credits", record.credits === 0 ? gettext("free") : credits(record.credits));
  fact("model", model || gettext("no model"));
  fact("client", client || gettext("no client"));
  fact("agent_purpose", record.agent_purpose || "–");
  fact("hour", `${record.day}, ${String(record.hour).padStart(2, "0")}:00`);
  showRun(run);
}

function showPrompt() {
  const { prompt: text } = record;
  const length = [...text].length;
  fact("length", length ? fill(ngettext("%(count)s character", "%(count)s characters", length), { count: whole(length) }) : "");
  button("copy", "prompt").hidden = !text;
  panel.querySelector("[data-truncated]").hidden = !record.prompt_truncated;
  panel.querySelector("[data-no-prompt]").hidden = Boolean(text);
  prompt.hidden = !text;
  prompt.replaceChildren(...marked(text, asked.pattern));
}

function showRun(run) {
  const link = panel.querySelector("[data-run-link]");
  link.textContent = run == null ? "–" : fill(gettext("Run %(number)s"), { number: run });
  if (run == null) link.removeAttribute("href");
  else link.href = `/runs/${run}`;
}

/** Gives the dot the colour of the model. */
export function paintPanel() {
  panel.querySelector(".dot").style.backgroundColor = colourOf(record?.model);
}

/** Scrolls to the first hit in the prompt where it is out of sight. */
function showFirstHit() {
  const hit = prompt.querySelector("mark")?.getBoundingClientRect();
  const { bottom, height } = body.getBoundingClientRect();
  if (hit && hit.bottom > bottom) body.scrollTop += hit.bottom - bottom + height / 2;
}

async function copyOut(text) {
  copied.textContent = "";
  const done = await copyText(text);
  copied.textContent = done ? gettext("Copied.") : gettext("The browser refused to copy. Select the text and copy it yourself.");
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without HTTPS there is no clipboard to write to: the old way needs a selection inside the dialog.
    return copySelected(text);
  }
}

function copySelected(text) {
  const focused = document.activeElement;
  const field = document.createElement("textarea");
  field.className = "unseen";
  field.value = text;
  panel.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  focused.focus();
  return done;
}

const linkTo = (id) => `${location.origin}${location.pathname}?${new URLSearchParams({ record: id })}`;

const button = (kind, name) => panel.querySelector(`[data-${kind}="${name}"]`);

function fact(name, text) {
  panel.querySelector(`[data-fact="${name}"]`).textContent = text;
}
