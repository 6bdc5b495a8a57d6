// The ledger of days, and the list of runs, newest first; running ones show their progress, and a button loads more.

import { at } from "../shared/addresses.js";
import { get } from "../shared/api.js";
import { onReturn } from "../shared/connection.js";
import { minutes, whole } from "../shared/formats.js";
import { clockFrom, isOver, kindWords, outcomeWords, tookWords, triggerWords, windowWords } from "../shared/run_formats.js";
import { fill, gettext } from "../shared/i18n.js";
import { byId, copyOf, find } from "../shared/page_elements.js";
import { tableMenuIn } from "../shared/table_menu.js";
import "./runs/ledger_card.js";

const FIRST = 50;
const MOST = 500;
const POLL = 2000;
const POLL_WHEN_IDLE = 30_000;
const FIGURES = /** @type {const} */ (["fetched", "added", "dup", "conflicts"]);
const part = byId("runs");
const table = find(part, "table", HTMLTableElement);
const body = table.tBodies[0];
const failed = find(part, "[data-failed]");
const more = find(part, "[data-more]");
const now = clockFrom(part.dataset.now ?? "");
const rows = new Map();
let limit = FIRST;
let asked = 0;
/** @type {number | undefined} */
let next;

find(part, "[data-again]").addEventListener("click", load);
tableMenuIn(part);
more.addEventListener("click", () => { limit = Math.min(MOST, 2 * limit); load(); });
for (const name of ["archive:collecting", "archive:collected"]) document.addEventListener(name, load);
onReturn(load);
document.addEventListener("visibilitychange", () => { if (!document.hidden) load(); });
load();

async function load() {
  clearTimeout(next);
  asked += 1;
  const turn = asked;
  let wait = POLL_WHEN_IDLE;
  try {
    const { items } = await get("/api/runs", { limit: String(limit) });
    // An answer to an earlier question would take rows away again.
    if (turn !== asked) return;
    show(items);
    failed.hidden = true;
    if (!items.every(isOver)) wait = POLL;
  } catch (error) {
    if (turn !== asked) return;
    find(part, "[data-failed-text]").textContent = error.message;
    failed.hidden = false;
  }
  part.setAttribute("aria-busy", "false");
  clearTimeout(next);
  next = setTimeout(() => { if (!document.hidden) load(); }, wait);
}

/** @param {Run[]} runs */
function show(runs) {
  table.hidden = runs.length === 0;
  find(part, "[data-empty]").hidden = runs.length > 0;
  runs.forEach((run, place) => {
    const row = rows.get(run.id) ?? newRow(run.id);
    fillRow(row, run);
    // A row in its place is not moved: it may have the focus.
    if (body.rows[place] !== row) body.insertBefore(row, body.rows[place] ?? null);
  });
  while (body.rows.length > runs.length) body.lastElementChild?.remove();
  const full = runs.length === limit;
  find(part, "[data-more-row]").hidden = !full;
  more.hidden = limit === MOST;
  find(part, "[data-shown]").textContent = full ? fill(gettext("The newest %(count)s are shown."), { count: whole(limit) }) : "";
}

/** @param {number} id */
function newRow(id) {
  const row = copyOf(byId("run-row", HTMLTemplateElement));
  find(row, "a", HTMLAnchorElement).href = at(`/runs/${id}`);
  rows.set(id, row);
  return row;
}

/**
 * @param {HTMLElement} row
 * @param {Run} run
 */
function fillRow(row, run) {
  const put = (/** @type {string} */ name, /** @type {string} */ text) => {
    const node = find(row, name);
    if (node.textContent !== text) node.textContent = text;
  };
  row.dataset.outcome = run.status;
  put("a", minutes(run.started_at));
  put(".outcome", outcomeWords(run));
  find(row, ".outcome").dataset.outcome = run.status;
  find(row, ".outcome").title = run.message;
  find(row, "progress").hidden = run.status !== "running";
  put(".kind", kindWords(run));
  put(".trigger", triggerWords(run));
  put(".window", windowWords(run));
  for (const name of FIGURES) put(`[data-figure="${name}"]`, whole(run[name]));
  put(".took", tookWords(run, now));
}
