// The schedule on the settings page: its times as chips, a field that adds one, and the runs that come of them.

import { get } from "../../shared/api.js";
import { say } from "../../shared/form_fields.js";
import { clockFrom } from "../../shared/status.js";
import { fill, gettext } from "../../shared/i18n.js";

const PREVIEWED = 3;
const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const nextRuns = document.getElementById("next-runs");
const form = nextRuns?.closest("form");
const chips = form?.querySelector("[data-times]");
const field = form?.elements.schedule_times;
let schedule; // what the server says of it, and the server's clock

if (form) bind();

function bind() {
  showTimes(field.dataset.saved);
  form.addEventListener("input", showNextRuns);
  field.addEventListener("input", () => say(field, ""));
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || isEmpty()) return;
    event.preventDefault();
    addTyped();
  });
  form.querySelector("[data-add-time]").addEventListener("click", () => {
    if (isEmpty()) refuse(gettext("Type a time of day first."));
    else addTyped();
    field.focus();
  });
  chips.addEventListener("click", ({ target }) => remove(target.closest("li"), target.closest("button")));
}

/** The times of the chips, as the setting has them. */
export function times() {
  return [...chips.children].map(({ dataset }) => dataset.time).join(",");
}

/** Shows a setting's text as chips. */
export function showTimes(text) {
  chips.replaceChildren(...text.split(",").filter(Boolean).sort().map(chipOf));
}

/** Makes a chip of what stands in the field; false where that is no time, or one that is there already. */
export function addTyped() {
  if (isEmpty()) return true;
  const time = field.value;
  if (!time) return refuse(gettext("This is no whole time of day: it has hours and minutes."));
  if (times().split(",").includes(time)) return refuse(fill(gettext("%(time)s is there already."), { time }));
  showTimes(`${times()},${time}`);
  field.value = "";
  announce();
  return true;
}

/** Asks the server for its clock and for the next run that it knows, and says below which ones come. */
export async function readSchedule() {
  if (!form) return;
  try {
    const { scheduler, server_time: time } = await get("/api/status");
    schedule = { next: scheduler.next_run, now: clockFrom(time) };
  } catch {
    // The frame says that the server cannot be asked; this is a help only.
    schedule = null;
  }
  showNextRuns();
}

function chipOf(time) {
  const chip = document.getElementById("time-chip").content.cloneNode(true).firstElementChild;
  chip.dataset.time = time;
  chip.querySelector("[data-time]").textContent = time;
  chip.querySelector("button").setAttribute("aria-label", fill(gettext("Remove %(time)s"), { time }));
  return chip;
}

function remove(chip, button) {
  if (!button) return;
  const neighbour = chip.nextElementSibling ?? chip.previousElementSibling;
  chip.remove();
  (neighbour?.querySelector("button") ?? field).focus();
  announce();
}

// What is typed by half has no value, but is there.
const isEmpty = () => !field.value && !field.validity.badInput;

function refuse(words) {
  say(field, words);
  field.focus();
  return false;
}

function announce() {
  field.dispatchEvent(new Event("input", { bubbles: true }));
}

function showNextRuns() {
  nextRuns.hidden = !schedule;
  if (!schedule) return;
  const { checked: enabled } = form.elements.schedule_enabled;
  nextRuns.textContent = enabled ? nextRunsWords(times()) : gettext("Switched off: nothing is collected by itself.");
}

function nextRunsWords(text) {
  if (!text) return gettext("Left empty, the times go back to their default.");
  const now = schedule.now();
  const today = Math.floor(now / DAY) * DAY;
  const due = [0, 1, 2, 3].flatMap((days) => text.split(",").map((time) => today + days * DAY + minutesOf(time) * MINUTE));
  let next = due.filter((at) => at > now);
  // For the stored times the server knows better: its clock may skip an hour.
  const known = text === field.dataset.saved && schedule.next ? Date.parse(`${schedule.next.replace(" ", "T")}Z`) : 0;
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
