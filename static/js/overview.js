// The overview: figures of the last week and of the whole archive, and the newest records.

import { get } from "archive/api";
import { bindCookieForm } from "archive/credential";
import { change, credits, dayFrom, excerpt, minutes, points, share, whole } from "archive/formats";

const NEWEST = 20;
const figures = document.getElementById("figures");
const firstSteps = document.getElementById("first-steps");
let reading = new AbortController();

if (firstSteps) bindCookieForm(showCookie);
document.addEventListener("archive:collected", load);
document.addEventListener("archive:signed-in", load);
for (const again of document.querySelectorAll("[data-again]")) again.addEventListener("click", load);
load();

async function load() {
  reading.abort();
  reading = new AbortController();
  const { signal } = reading;
  await Promise.all([
    fill("week", () => week(signal), showWeek),
    fill("whole", () => get("/api/summary", {}, signal), showWhole),
    fill("newest", () => get("/api/records", { size: NEWEST }, signal), showNewest),
  ]);
}

/** Reads one part of the page and shows it, or says there what failed. */
async function fill(name, read, show) {
  const part = figures.querySelector(`[data-part="${name}"]`);
  const failed = part.querySelector("[data-failed]");
  part.setAttribute("aria-busy", "true");
  try {
    const answer = await read();
    show(part, answer);
    failed.hidden = true;
  } catch (error) {
    if (error.name === "AbortError") return;
    part.querySelector("[data-failed-text]").textContent = error.message;
    failed.hidden = false;
  }
  part.setAttribute("aria-busy", "false");
}

async function week(signal) {
  const { server_time: now } = await get("/api/status", {}, signal);
  const today = now.slice(0, 10);
  return get("/api/summary", { from: dayFrom(today, -6), to: today }, signal);
}

function showWeek(part, summary) {
  showFigures(part, summary);
  const { prev, delta, partial, window } = summary;
  const until = partial ? `, until ${partial.hhmm} today, beside 7 whole days before` : ", beside the 7 days before";
  part.querySelector("[data-window]").textContent = `${window.from} to ${window.to}${until}`;
  const before = prev?.calls > 0;
  const average = before && prev.avgPerCall ? (summary.avgPerCall / prev.avgPerCall - 1) * 100 : null;
  const freer = before && summary.calls ? points(summary.free / summary.calls - prev.free / prev.calls) : null;
  const changes = { credits: change(delta?.credits), calls: change(delta?.calls), average: change(summary.calls ? average : null), free: freer };
  for (const [name, text] of Object.entries(changes)) {
    part.querySelector(`[data-change="${name}"]`).textContent = text ?? (before ? "nothing to compare" : "nothing before");
  }
}

function showWhole(part, summary) {
  showFigures(part, summary);
  const { firstDay, lastDay, days } = summary;
  part.querySelector("[data-window]").textContent = firstDay ? `${firstDay} to ${lastDay}, ${whole(days)} days with calls` : "";
  if (!summary.calls) return;
  figures.hidden = false;
  if (firstSteps) firstSteps.hidden = true;
}

function showFigures(part, { credits: sum, calls, free, avgPerCall, models, clients }) {
  const texts = {
    credits: credits(sum), calls: whole(calls), average: calls ? credits(avgPerCall) : "–",
    free: share(free, calls), models: whole(models), clients: whole(clients),
  };
  for (const node of part.querySelectorAll("[data-figure]")) node.textContent = texts[node.dataset.figure];
}

function showNewest(part, { items, total }) {
  const table = part.querySelector("table");
  table.hidden = items.length === 0;
  part.querySelector("[data-empty]").hidden = items.length > 0;
  part.querySelector("[data-window]").textContent = items.length ? `${items.length} of ${whole(total)}` : "";
  document.getElementById("newest").replaceChildren(...items.map(row));
}

function row(record) {
  const node = document.getElementById("record-row").content.cloneNode(true);
  const put = (name, text) => { node.querySelector(`.${name}`).textContent = text; };
  put("time", minutes(record.ts));
  put("model", record.model || "no model");
  put("client", record.client || "–");
  put("number", record.credits === 0 ? "free" : credits(record.credits));
  put("prompt", excerpt(record.prompt ?? "") || "no prompt");
  if (record.credits === 0) node.querySelector(".number").classList.add("free");
  if (!record.prompt) node.querySelector(".prompt").classList.add("none");
  return node;
}

function showCookie(settings) {
  const set = Boolean(settings.cookie_hint);
  const steps = firstSteps.querySelector(".steps");
  steps.dataset.cookie = set ? "set" : "none";
  for (const name of ["get", "paste"]) steps.querySelector(`[data-step="${name}"]`).toggleAttribute("data-done", set);
  firstSteps.querySelector("[data-cookie-state]").textContent = `Your cookie is set: ${settings.cookie_hint}.`;
  firstSteps.querySelector("[data-cookie-broken]")?.remove();
  const collect = firstSteps.querySelector("[data-collect]");
  collect.disabled = !set;
  collect.focus();
}
