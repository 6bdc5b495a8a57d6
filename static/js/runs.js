// The list of runs: newest first, those under way with their progress, more of them on demand.

import { get } from "archive/api";
import { minutes, whole } from "archive/formats";
import { clockFrom, isOver, outcomeWords, tookWords, triggerWords, windowWords } from "archive/status";
import { fill, gettext } from "archive/words";

const FIRST = 50;
const MOST = 500;
const POLL = 2000;
const POLL_WHEN_IDLE = 30_000;
const FIGURES = ["fetched", "added", "dup", "conflicts"];
const part = document.getElementById("runs");
const table = part.querySelector("table");
const body = table.tBodies[0];
const failed = part.querySelector("[data-failed]");
const more = part.querySelector("[data-more]");
const now = clockFrom(part.dataset.now);
const rows = new Map();
let limit = FIRST;
let next;

part.querySelector("[data-again]").addEventListener("click", load);
more.addEventListener("click", () => { limit = Math.min(MOST, 2 * limit); load(); });
for (const name of ["archive:collecting", "archive:collected", "archive:signed-in"]) document.addEventListener(name, load);
document.addEventListener("visibilitychange", () => { if (!document.hidden) load(); });
load();

async function load() {
  clearTimeout(next);
  let wait = POLL_WHEN_IDLE;
  try {
    const { items } = await get("/api/runs", { limit });
    show(items);
    failed.hidden = true;
    if (!items.every(isOver)) wait = POLL;
  } catch (error) {
    part.querySelector("[data-failed-text]").textContent = error.message;
    failed.hidden = false;
  }
  part.setAttribute("aria-busy", "false");
  clearTimeout(next);
  if (!document.hidden) next = setTimeout(load, wait);
}

function show(runs) {
  table.hidden = runs.length === 0;
  part.querySelector("[data-empty]").hidden = runs.length > 0;
  runs.forEach((run, place) => {
    const row = rows.get(run.id) ?? newRow(run.id);
    fillRow(row, run);
    // A row that is in its place is left there: it may have the focus.
    if (body.rows[place] !== row) body.insertBefore(row, body.rows[place] ?? null);
  });
  while (body.rows.length > runs.length) body.lastElementChild.remove();
  const full = runs.length === limit;
  part.querySelector("[data-more-row]").hidden = !full;
  more.hidden = limit === MOST;
  part.querySelector("[data-shown]").textContent = full ? fill(gettext("The newest %(count)s are shown."), { count: whole(limit) }) : "";
}

function newRow(id) {
  const row = document.getElementById("run-row").content.cloneNode(true).firstElementChild;
  row.querySelector("a").href = `/runs/${id}`;
  rows.set(id, row);
  return row;
}

function fillRow(row, run) {
  const put = (name, text) => {
    const node = row.querySelector(name);
    if (node.textContent !== text) node.textContent = text;
  };
  row.dataset.outcome = run.status;
  put("a", minutes(run.started_at));
  put(".outcome", outcomeWords(run));
  row.querySelector(".outcome").dataset.outcome = run.status;
  row.querySelector(".outcome").title = run.message;
  row.querySelector("progress").hidden = run.status !== "running";
  put(".trigger", triggerWords(run));
  put(".window", windowWords(run));
  for (const name of FIGURES) put(`[data-figure="${name}"]`, whole(run[name]));
  put(".took", tookWords(run, now));
}
