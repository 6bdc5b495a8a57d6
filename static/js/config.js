// The settings page: each group is saved by itself, what was refused is said at its field, what was good stays saved.

import { get, post } from "archive/api";
import { bindCookieForm, clearCookie, hintWords } from "archive/credential";
import { clear as clearErrors, say, sayDone, sayToForm } from "archive/fields";
import { withoutKey } from "archive/formats";
import { clockFrom } from "archive/status";
import { fill, gettext } from "archive/words";

const state = document.getElementById("cookie-state");
const clear = document.getElementById("cookie-clear");
const dialog = document.getElementById("clear-dialog");
const nextRuns = document.getElementById("next-runs");
const PREVIEWED = 3;
const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
let schedule; // what the server says of it, and the server's clock
const agent = document.getElementById("user_agent");

bindCookieForm(showOwn);
clear.addEventListener("click", () => { dialog.returnValue = ""; dialog.showModal(); });
dialog.addEventListener("close", async () => {
  if (dialog.returnValue !== "clear") return;
  try {
    await clearCookie(showOwn);
  } catch (error) {
    state.textContent = error.message;
  }
});
for (const form of document.querySelectorAll("[data-settings-form]")) bind(form);
for (const button of document.querySelectorAll("[data-action]")) button.addEventListener("click", () => maintain(button));
nextRuns?.closest("form").addEventListener("input", showNextRuns);
readSchedule();

function showOwn(settings) {
  const set = Boolean(settings.cookie_hint);
  state.textContent = set ? fill(gettext("set, %(hint)s"), { hint: hintWords(settings.cookie_hint) }) : gettext("not set");
  state.dataset.state = set ? "set" : "none";
  clear.hidden = !set;
  document.getElementById("cookie-since")?.remove();
  agent.value = agent.dataset.saved = settings.user_agent;
}

function bind(form) {
  const fields = [...form.elements].filter((field) => "saved" in field.dataset);
  form.addEventListener("input", () => { sayDone(form, ""); });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const edited = fields.filter((field) => valueOf(field) !== field.dataset.saved);
    clearErrors(form);
    if (!edited.length) {
      sayDone(form, gettext("Nothing was changed."));
      return;
    }
    await save(form, edited);
  });
}

async function save(form, edited) {
  const button = form.querySelector("[type=submit]");
  button.disabled = true;
  sayDone(form, "");
  try {
    const body = Object.fromEntries(edited.map((field) => [field.name, valueOf(field)]));
    const { changed } = await post("/api/settings", body);
    await settle(edited, changed);
    sayDone(form, gettext("Saved."));
  } catch (error) {
    await settle(edited, error.body?.changed ?? []).catch(() => {});
    showErrors(form, edited, error);
  } finally {
    button.disabled = false;
  }
  if (form.contains(nextRuns)) await readSchedule();
}

/** Writes the stored, normal form of what was saved back into its field. */
async function settle(edited, changed) {
  if (!changed.length) return;
  const settings = await get("/api/settings");
  for (const field of edited.filter(({ name }) => changed.includes(name))) {
    field.dataset.saved = settings[field.name];
    if (field.type === "checkbox") field.checked = settings[field.name] === "1";
    else field.value = settings[field.name];
  }
}

function showErrors(form, edited, error) {
  const rest = [];
  for (const text of error.body?.errors ?? [error.message]) {
    const field = edited.find(({ name }) => text.startsWith(`${name} `));
    if (field) say(field, withoutKey(text, field.name));
    else rest.push(text);
  }
  const kept = error.body?.changed ?? [];
  if (kept.length) sayDone(form, fill(gettext("Saved: %(names)s."), { names: kept.join(", ") }));
  sayToForm(form, rest.join(" "));
  form.querySelector("[aria-invalid=true]")?.focus();
}

/** Runs an action of maintenance and says beside its button what came of it. */
async function maintain(button) {
  if (button.ariaBusy === "true") return;
  const { action } = button.dataset;
  const said = button.parentElement.querySelector("[data-said]");
  const tell = (kind, text) => { said.dataset.kind = kind; said.textContent = text; };
  // The button is not disabled: it would lose the focus.
  button.ariaBusy = "true";
  tell("wait", gettext("Working…"));
  try {
    const { message } = await post(`/api/maintenance/${action}`);
    tell("done", message);
    const file = action === "export-csv" && message.match(/[\w.-]+\.csv/)?.[0];
    if (file) said.append(" ", download(file));
  } catch (error) {
    // Too soon, or busy: nothing is wrong.
    tell(error.status === 429 || error.code === "busy" ? "wait" : "failed", error.message);
  } finally {
    button.ariaBusy = "false";
  }
}

function download(file) {
  const link = document.createElement("a");
  link.href = `/exports/${encodeURIComponent(file)}`;
  link.download = file;
  link.textContent = gettext("Download");
  return link;
}

async function readSchedule() {
  if (!nextRuns) return;
  try {
    const { scheduler, server_time: time } = await get("/api/status");
    schedule = { next: scheduler.next_run, now: clockFrom(time) };
  } catch {
    // The frame says that the server cannot be asked; this is a help only.
    schedule = null;
  }
  showNextRuns();
}

/** Says below the schedule which runs would come of what is typed there. */
function showNextRuns() {
  nextRuns.hidden = !schedule;
  if (!schedule) return;
  const { schedule_times: times, schedule_enabled: enabled } = nextRuns.closest("form").elements;
  nextRuns.textContent = enabled.checked ? nextRunsWords(times) : gettext("Switched off: nothing is collected by itself.");
}

function nextRunsWords(field) {
  const times = field.value.replaceAll("：", ":").split(/[,，]/).map((time) => time.trim()).filter(Boolean);
  if (!times.length) return gettext("Left empty, the times go back to their default.");
  const wrong = times.find((time) => !/^([01]?\d|2[0-3]):[0-5]\d$/.test(time));
  if (wrong) return fill(gettext("“%(time)s” is no time of day: write HH:MM, with commas between."), { time: wrong });
  const now = schedule.now();
  const today = Math.floor(now / DAY) * DAY;
  const due = [0, 1, 2, 3].flatMap((days) => times.map((time) => today + days * DAY + minutesOf(time) * MINUTE));
  let next = [...new Set(due)].filter((at) => at > now).sort((one, other) => one - other);
  // For the stored times the server knows better: its clock may skip an hour.
  const known = valueOf(field) === field.dataset.saved && schedule.next ? Date.parse(`${schedule.next.replace(" ", "T")}Z`) : 0;
  if (known > now) next = [known, ...next.filter((at) => at > known)];
  const shown = next.slice(0, PREVIEWED).map((at) => dayAndTime(at, today));
  return fill(gettext("Next runs: %(times)s."), { times: shown.join(", ") });
}

function minutesOf(time) {
  const [hours, minutes] = time.split(":").map(Number);
  return 60 * hours + minutes;
}

function dayAndTime(at, today) {
  const text = new Date(at).toISOString();
  const day = [gettext("today"), gettext("tomorrow")][Math.floor((at - today) / DAY)] ?? text.slice(0, 10);
  return `${day} ${text.slice(11, 16)}`;
}

const valueOf = (field) => (field.type === "checkbox" ? (field.checked ? "1" : "0") : field.value.trim());
