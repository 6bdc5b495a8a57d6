// The schedule among the settings of the instance: its times as chips, a field that adds one, and a preview of the next runs.

import { get } from "../../shared/api.js";
import { say } from "../../shared/form_fields.js";
import { wallClock } from "../../shared/formats.js";
import { clockFrom } from "../../shared/run_formats.js";
import { fill, gettext, listed } from "../../shared/i18n.js";
import { byId, copyOf, fieldOf, find, findAll, targetOf } from "../../shared/page_elements.js";

const PREVIEWED = 3;
const MINUTE = 60_000;
const DAY = 1440 * MINUTE;
const nextRuns = byId("next-runs");
const form = /** @type {HTMLFormElement} */ (nextRuns.closest("form"));
const chips = find(form, "[data-times]");
const field = fieldOf(form, "schedule_times");
/** @typedef {{next: string | null, now: () => number}} Schedule The next run, and the clock of the server. */

/** @type {Schedule | null} */
let schedule = null;

bind();

function bind() {
  showTimes(field.dataset.saved ?? "");
  form.addEventListener("input", showNextRuns);
  field.addEventListener("input", () => say(field, ""));
  field.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || isEmpty()) return;
    event.preventDefault();
    addTyped();
  });
  find(form, "[data-add-time]").addEventListener("click", () => {
    if (isEmpty()) refuse(gettext("Enter a time first."));
    else addTyped();
    field.focus();
  });
  chips.addEventListener("click", (event) => remove(targetOf(event).closest("li"), targetOf(event).closest("button")));
}

/** The times of the chips, in the format of the setting. */
export function times() {
  return findAll(chips, ":scope > *").map(({ dataset }) => dataset.time).join(",");
}

/**
 * Shows the value of the setting as chips.
 * @param {string} text
 */
export function showTimes(text) {
  chips.replaceChildren(...text.split(",").filter(Boolean).sort().map(chipOf));
}

/** Adds the time in the field as a chip; false if it is incomplete or already in the list. */
export function addTyped() {
  if (isEmpty()) return true;
  const time = field.value;
  if (!time) return refuse(gettext("The time is incomplete: enter hours and minutes."));
  if (times().split(",").includes(time)) return refuse(fill(gettext("%(time)s is already in the list."), { time }));
  showTimes(`${times()},${time}`);
  field.value = "";
  announce();
  return true;
}

/** Reads the clock and the next run from the server, and shows the next runs. */
export async function readSchedule() {
  try {
    const { scheduler, server_time: time } = await get("/api/status");
    schedule = { next: scheduler.next_run, now: clockFrom(time) };
  } catch {
    // The frame reports that the server cannot be reached; this preview is only a help.
    schedule = null;
  }
  showNextRuns();
}

/** @param {string} time */
function chipOf(time) {
  const chip = copyOf(byId("time-chip", HTMLTemplateElement));
  chip.dataset.time = time;
  find(chip, "[data-time]").textContent = time;
  find(chip, "button", HTMLButtonElement).setAttribute("aria-label", fill(gettext("Remove %(time)s"), { time }));
  return chip;
}

/**
 * @param {HTMLElement | null} chip
 * @param {HTMLElement | null} button
 */
function remove(chip, button) {
  if (!chip || !button) return;
  const neighbour = chip.nextElementSibling ?? chip.previousElementSibling;
  chip.remove();
  (neighbour?.querySelector("button") ?? field).focus();
  announce();
}

// An incomplete time has no value but is bad input.
const isEmpty = () => !field.value && !field.validity.badInput;

/** @param {string} words */
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
  const { checked: enabled } = fieldOf(form, "schedule_enabled");
  nextRuns.textContent = enabled ? nextRunsWords(times(), schedule) : gettext("Off: nothing is collected automatically.");
}

/**
 * @param {string} text
 * @param {Schedule} schedule
 */
function nextRunsWords(text, { next: planned, now: clock }) {
  if (!text) return gettext("An empty list returns to the default times.");
  const now = clock();
  const today = Math.floor(now / DAY) * DAY;
  const due = [0, 1, 2, 3].flatMap((days) => text.split(",").map((time) => today + days * DAY + minutesOf(time) * MINUTE));
  let next = due.filter((at) => at > now);
  // For the stored times the server is more exact: its clock may skip an hour.
  const known = text === field.dataset.saved && planned ? wallClock(planned) : 0;
  if (known > now) next = [known, ...next.filter((at) => at > known)];
  const shown = next.slice(0, PREVIEWED).map((at) => dayAndTime(at, today));
  return fill(gettext("Next runs: %(times)s."), { times: listed(shown) });
}

/** @param {string} time */
function minutesOf(time) {
  const [hours, minutes] = time.split(":").map(Number);
  return 60 * hours + minutes;
}

/**
 * @param {number} at
 * @param {number} today
 */
function dayAndTime(at, today) {
  const text = new Date(at).toISOString();
  const day = [gettext("today"), gettext("tomorrow")][Math.floor((at - today) / DAY)] ?? text.slice(0, 10);
  return `${day} ${text.slice(11, 16)}`;
}
