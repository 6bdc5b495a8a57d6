// Calls whose prompts begin alike, in groups; the filters of the address choose the calls.

import { at } from "../shared/addresses.js";
import { isGone, onReturn } from "../shared/connection.js";
import { showErased } from "../shared/erased_line.js";
import { namesOf } from "../shared/filter_names.js";
import { bindFilters, showNames } from "../shared/filters.js";
import { credits, day as dayOf, excerpt, share, whole } from "../shared/formats.js";
import { fill, gettext, ngettext } from "../shared/i18n.js";
import { colourOf, forgetNames, loadNames } from "../shared/model_colours.js";
import { byId, copyOf, find, findAll } from "../shared/page_elements.js";
import { ask } from "../shared/page_reads.js";
import { queryOf } from "../shared/periods.js";
import { tableMenuIn } from "../shared/table_menu.js";

const USUAL = "90";
// The API cuts prompts at this length, and the page lists so many models of a group.
const [CUT, MODELS] = [120, 3];
// The beginning that a search for the calls of a group has in common.
const [LONGEST, SHORTEST] = [60, 4];
const part = byId("repeated");
const table = find(part, "table", HTMLTableElement);
const preparing = find(part, "[data-preparing]");
const failed = find(part, "[data-failed]");
const filters = bindFilters({ usual: USUAL, onChange: load });
let reading = new AbortController();
let shown = "";
/** @type {RepeatedPrompt[]} */
let items = [];

find(part, "[data-again]").addEventListener("click", load);
document.addEventListener("archive:collected", renew);
document.addEventListener("archive:theme", paint);
document.addEventListener("archive:status", ({ detail: { status, ended } }) => {
  if (ended) renew();
  else if (status) follow(dayOf(status.server_time));
});
onReturn(load);
tableMenuIn(part, () => [
  [gettext("Prompt"), gettext("Calls"), gettext("%(Unit)s"), gettext("Models"), gettext("Cheapest model"), gettext("Estimate")],
  ...items.map(({ prompt, calls, credits: spent, models, cheapest }) => [prompt, calls, spent, models.map(({ model }) => model).join(" "), cheapest?.model ?? null, cheapest?.credits ?? null]),
]);
load();

/** Reloads after a collection: there may be new models, clients and purposes. */
function renew() {
  forgetNames();
  showNames();
  load();
}

/**
 * Follows the day of the server, and the steps after an upgrade.
 * @param {string} today
 */
async function follow(today) {
  // If the page cannot be read, the next status update tries again.
  if ((await filters.renewDay(today).catch(() => false)) || !preparing.hidden) load();
}

async function load() {
  reading.abort();
  reading = new AbortController();
  const { signal } = reading;
  const key = String(queryOf(filters.state));
  showErased(part, filters.span);
  part.setAttribute("aria-busy", "true");
  part.toggleAttribute("data-outdated", key !== shown);
  try {
    // The names set the colours of the models; without them all are grey.
    const [answer] = await Promise.all([ask("repeated", { span: filters.span, named: namesOf(filters.state), signal }), loadNames().catch(() => {})]);
    if (signal.aborted) return;
    show(answer);
    shown = key;
    failed.hidden = true;
  } catch (error) {
    if (signal.aborted) return;
    find(part, "[data-failed-text]").textContent = error.message;
    failed.hidden = isGone();
    // Groups of other calls would be mistaken for those of these filters.
    if (!isGone() && key !== shown) show({ items: [] });
    find(part, "[data-empty]").hidden = true;
  }
  part.toggleAttribute("data-outdated", isGone() && key !== shown);
  part.setAttribute("aria-busy", "false");
}

/** @param {Pick<Repeated, "items" | "prepared">} answer */
function show({ items: found, prepared }) {
  items = found;
  table.tBodies[0].replaceChildren(...items.map(rowOf));
  paint();
  table.hidden = find(part, ".take-table").hidden = find(part, "[data-note]").hidden = !items.length;
  find(part, "[data-empty]").hidden = items.length > 0;
  preparing.hidden = prepared === undefined;
  const words = gettext("Since the upgrade %(share)s of your calls have been prepared for this page. The others follow, and are in no group yet.");
  preparing.textContent = prepared === undefined ? "" : fill(words, { share: share(prepared, 100) });
}

/** @param {RepeatedPrompt} group */
function rowOf({ prompt, calls, credits: spent, models, cheapest }) {
  const row = copyOf(byId("group-row", HTMLTemplateElement));
  const link = find(row, "[data-prompt]", HTMLAnchorElement);
  link.textContent = excerpt(prompt) + ([...prompt].length === CUT ? "…" : "");
  link.href = addressOf(prompt);
  find(row, "[data-calls]").textContent = whole(calls);
  find(row, "[data-credits]").textContent = credits(spent);
  find(row, "[data-models]").replaceChildren(...modelsOf(models, calls));
  const cell = find(row, "[data-cheapest]");
  const saves = cheapest && cheapest.credits < spent;
  cell.textContent = saves ? fill(gettext("%(model)s: about %(credits)s"), { model: named(cheapest.model), credits: credits(cheapest.credits) }) : "–";
  cell.toggleAttribute("data-none", !saves);
  return row;
}

/**
 * @param {RepeatedPrompt["models"]} models
 * @param {number} calls Those of the whole group.
 */
function modelsOf(models, calls) {
  const listed = models.length > MODELS + 1 ? models.slice(0, MODELS) : models;
  const left = calls - listed.reduce((sum, one) => sum + one.calls, 0);
  const rows = listed.map(({ model, calls: number, credits: spent }) => {
    const line = copyOf(byId("group-model", HTMLTemplateElement));
    find(line, ".dot").dataset.colour = model;
    find(line, "[data-model]").textContent = named(model);
    find(line, "[data-spent]").textContent = fill(ngettext("%(count)s call, %(credits)s", "%(count)s calls, %(credits)s", number), { count: whole(number), credits: credits(spent) });
    return line;
  });
  if (!left) return rows;
  const more = document.createElement("li");
  more.className = "under";
  more.textContent = fill(ngettext("%(count)s call of other models", "%(count)s calls of other models", left), { count: whole(left) });
  return [...rows, more];
}

function paint() {
  for (const dot of findAll(table, ".dot")) dot.style.backgroundColor = colourOf(dot.dataset.colour ?? "");
}

/** @param {string} model */
const named = (model) => model || gettext("no model");

/**
 * The records of the same filters whose prompts have the beginning of this one: up to its first line break or number, unless
 * hardly anything is before it.
 * @param {string} prompt
 */
function addressOf(prompt) {
  const beginning = [...prompt].slice(0, LONGEST).join("");
  const [common] = beginning.split(/[\n\r\d]/);
  const query = queryOf(filters.state);
  query.set("q", common.trim().length >= SHORTEST ? common : beginning);
  query.set("order", "credits_desc");
  return at(`/records?${query}`);
}
