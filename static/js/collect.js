// The collect buttons of the frame and of the pages, and the live progress of a collection.

import { get, post } from "archive/api";
import { day, whole } from "archive/formats";
import { loadStatus, mendedBySettings } from "archive/status";

const POLL = 1000;
const POLL_AFTER_FAILURE = 5000;
const UNFINISHED = new Set(["queued", "running"]);
const TITLES = { queued: "Waiting to start…", running: "Collecting…", failed: "Collection failed", interrupted: "Collection interrupted" };
const panel = document.getElementById("run");
const parts = Object.fromEntries([...panel.querySelectorAll("[data-run]")].map((node) => [node.dataset.run, node]));
const NEEDS_SETTINGS = new Set(["no_cookie", "cookie_broken", "cookie_expired"]);

for (const button of document.querySelectorAll("[data-collect]")) button.addEventListener("click", collect);
parts.close.addEventListener("click", () => { panel.hidden = true; });
document.addEventListener("archive:cookie", loadStatus);
document.addEventListener("archive:signed-in", loadStatus);
takeUp();

async function collect() {
  setBusy(true);
  show({ status: "queued" });
  try {
    const { run_id: id } = await post("/api/collect", { background: true });
    await follow(id);
  } catch (error) {
    refused(error);
    if (error.code === "busy") await takeUp();
  } finally {
    setBusy(false);
  }
}

/** Shows the run that is under way already when the page opens. */
async function takeUp() {
  const status = await loadStatus();
  if (!status?.running_lock) return;
  try {
    const [newest] = (await get("/api/runs", { limit: 1 })).items;
    if (!newest || !UNFINISHED.has(newest.status)) return;
    setBusy(true);
    await follow(newest.id);
  } catch (error) {
    refused(error);
  } finally {
    setBusy(false);
  }
}

async function follow(id) {
  for (;;) {
    const run = await look(id);
    if (run) {
      show(run);
      if (!UNFINISHED.has(run.status)) break;
    }
    await new Promise((resume) => { setTimeout(resume, run ? POLL : POLL_AFTER_FAILURE); });
  }
  document.dispatchEvent(new CustomEvent("archive:collected"));
  await loadStatus();
}

/** The run as it is now; null where the server could not be asked, which is worth another try. */
async function look(id) {
  try {
    return await get(`/api/runs/${id}`);
  } catch (error) {
    if (error.status === 401 || error.status === 404) throw error;
    parts.line.textContent = `${error.message} Trying again.`;
    return null;
  }
}

function show(run) {
  const over = !UNFINISHED.has(run.status);
  panel.hidden = false;
  panel.dataset.outcome = run.status;
  panel.removeAttribute("data-refused");
  parts.title.textContent = TITLES[run.status] ?? `Collected: ${whole(run.added)} new`;
  parts.bar.hidden = over;
  parts.close.hidden = !over;
  for (const name of ["fetched", "added", "dup"]) parts[name].textContent = whole(run[name] ?? 0);
  parts.window.textContent = run.win_from ? `${day(run.win_from)} to ${day(run.win_to)}` : "–";
  parts.line.textContent = over ? run.message ?? "" : lastLine(run.detail);
  advise(over && mendedBySettings(run));
}

function lastLine(detail) {
  return (detail ?? "").trimEnd().split("\n").at(-1);
}

function refused(error) {
  panel.hidden = false;
  panel.dataset.outcome = "failed";
  panel.setAttribute("data-refused", "");
  parts.title.textContent = "Nothing was collected";
  parts.line.textContent = error.message;
  parts.bar.hidden = true;
  parts.close.hidden = false;
  advise(NEEDS_SETTINGS.has(error.code));
}

function advise(settings) {
  parts.advice.hidden = !settings;
  if (!settings) return;
  const link = document.createElement("a");
  link.href = "/config";
  link.textContent = "Paste a new cookie in the settings";
  parts.advice.replaceChildren(link);
}

function setBusy(busy) {
  for (const button of document.querySelectorAll("[data-collect]")) {
    button.disabled = busy || ("needsCookie" in button.dataset && !document.querySelector('[data-cookie="set"]'));
  }
}
