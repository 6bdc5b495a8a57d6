// The overview: a few reads that follow the filters in the address, each shown by the parts that need it.

import { DayChart } from "../charts/day_chart.js";
import { daysShown } from "../charts/day_series.js";
import { endsOf, untilToday } from "../charts/day_groups.js";
import { showFigures, showSparks } from "./overview/figures.js";
import { bindFilters, queryOf, showNames } from "../shared/filters.js";
import { day as dayOf } from "../shared/formats.js";
import { hoursMap } from "../charts/hours_map.js";
import { forgetNames, loadNames } from "../shared/model_colours.js";
import { readsFor } from "./overview/overview_reads.js";
import { sharesOf } from "./overview/shares.js";
import { showTop } from "./overview/top_requests.js";
import { fill, gettext } from "../shared/i18n.js";
import { yearMap } from "../charts/year_map.js";

const REFRESH = 110_000;
const CHARTS = ["days", "hours", "year"];
const SHOWS = ["credits", "calls", "free"];
const overview = document.getElementById("overview");
const firstSteps = document.getElementById("first-steps");
const form = document.getElementById("filters");
const part = (name) => overview.querySelector(`[data-part="${name}"]`);
const some = overview.querySelectorAll("[data-some]");
const none = overview.querySelector("[data-none]");
const stale = overview.querySelector("[data-stale]");
const filters = bindFilters(form, { onChange: follow });
const goTo = (from, to) => filters.set({ period: "custom", from, to });
const dayChart = new DayChart(part("days"), goTo);
const hours = hoursMap(part("hours"));
const year = yearMap(part("year"), goTo);
const models = sharesOf(part("models"), "model", (model) => filters.set({ model }));
const clients = sharesOf(part("clients"), "client", (client) => filters.set({ client }));

// What each part needs, and how it shows that. Those `within` the period have nothing to show where it has no calls.
const PARTS = {
  figures: { needs: ["summary", "daily"], show: showSummary },
  days: { needs: ["daily", "dims", "names"], show: showDays, within: true },
  hours: { needs: ["daily"], show: showHours, within: true },
  year: { needs: ["daily"], show: ({ daily }) => year.show(daily.days, filters.today) },
  models: { needs: ["dims", "names"], show: ({ dims }) => models.show(dims.model, filters.state.model), within: true },
  clients: { needs: ["dims"], show: ({ dims }) => clients.show(dims.client, filters.state.client), within: true },
  top: { needs: ["top", "names"], show: ({ top }) => showTop(part("top"), top, filters.state), within: true },
};
let reading = new AbortController();
let loadedFor;
let latest;
let loadedAt = 0;

document.addEventListener("archive:collected", renew);
document.addEventListener("archive:signed-in", begin);
document.addEventListener("archive:status", ({ detail }) => refresh(detail));
for (const again of overview.querySelectorAll("[data-again]")) again.addEventListener("click", load);
for (const choice of document.getElementsByName("show")) {
  choice.addEventListener("change", () => filters.set({ show: choice.value === SHOWS[0] ? "" : choice.value }));
}
none.querySelector("[data-all-days]").addEventListener("click", () => filters.set({ period: "all" }));
none.querySelector("[data-all-names]").addEventListener("click", () => filters.set({ model: "", client: "" }));
begin();

/** Shows the parts, or leaves the first steps where nothing is archived yet. */
async function begin() {
  if (firstSteps && overview.hidden) {
    if (!(await hasRecords())) return;
    const held = firstSteps.contains(document.activeElement) || document.activeElement === document.body;
    firstSteps.hidden = true;
    overview.hidden = false;
    document.querySelector("[data-filled]").hidden = false;
    // Who pressed the button there goes on here.
    if (held) document.getElementById("content").focus();
  }
  await load();
}

async function hasRecords() {
  try {
    return (await loadNames(filters.today)).models.length > 0;
  } catch {
    // The parts say what is wrong, and can be tried again.
    return true;
  }
}

/** Where the filters are the same, only what the bars show is another. */
function follow(state) {
  if (latest && String(queryOf(state, {})) === loadedFor) showDays(latest);
  else load();
}

/** For whoever keeps the page open: what came in meanwhile, and the day that it is by now. */
function refresh({ status, ended, error }) {
  if (overview.hidden) return;
  stale.hidden = !error;
  if (error) {
    stale.textContent = fill(gettext("Not up to date: %(why)s"), { why: error.message });
    return;
  }
  const isAnotherDay = filters.today !== dayOf(status.server_time);
  filters.today = dayOf(status.server_time);
  if (ended) renew();
  else if (isAnotherDay || Date.now() - loadedAt >= REFRESH) load();
}

/** After a collection there may be other models and clients. */
function renew() {
  forgetNames();
  begin();
  showNames(form);
}

async function load() {
  reading.abort();
  reading = new AbortController();
  loadedAt = Date.now();
  latest = undefined;
  loadedFor = String(queryOf(filters.state, {}));
  const { signal } = reading;
  const reads = readsFor(filters.state, span(), filters.today, signal);
  const filled = Object.fromEntries(Object.keys(PARTS).map((name) => [name, fillPart(name, reads, loadedFor, signal)]));
  await Promise.all(CHARTS.map((name) => filled[name]));
  if (!signal.aborted) performance.mark("archive:charts");
}

/** Shows one part once its reads are there, or says there what failed. */
async function fillPart(name, reads, key, signal) {
  const node = part(name);
  const { needs, show, within } = PARTS[name];
  const failed = node.querySelector("[data-failed]");
  node.setAttribute("aria-busy", "true");
  try {
    const given = Object.fromEntries(await Promise.all([...needs, "hasCalls"].map(async (one) => [one, await reads[one]])));
    if (signal.aborted) return;
    if (!within || given.hasCalls) await show(given);
    node.dataset.shown = key;
    failed.hidden = true;
  } catch (error) {
    if (signal.aborted) return;
    failed.querySelector("[data-failed-text]").textContent = error.message;
    failed.hidden = false;
  }
  // What is shown of other filters would be taken for these.
  node.toggleAttribute("data-void", !failed.hidden && node.dataset.shown !== key);
  node.setAttribute("aria-busy", "false");
}

function showSummary({ summary, daily }) {
  for (const node of some) node.hidden = !summary.calls;
  none.hidden = Boolean(summary.calls);
  none.querySelector("[data-none-other]").hidden = !daily.days.length;
  const { model, client, period } = filters.state;
  none.querySelector("[data-all-days]").hidden = period === "all";
  none.querySelector("[data-all-names]").hidden = !model && !client;
  showFigures(part("figures"), summary, firstDay(daily));
}

function showDays(given) {
  latest = given;
  const asked = new URLSearchParams(location.search).get("show");
  const show = SHOWS.includes(asked) ? asked : SHOWS[0];
  part("days").querySelector(`[name="show"][value="${show}"]`).checked = true;
  const [from, to] = ends(given.daily);
  const shown = daysShown(given, { from, to, show, today: filters.today, model: filters.state.model });
  part("days").querySelector("h2").textContent = shown.title;
  part("days").querySelector("[data-note]").textContent = shown.note;
  showSparks(part("figures"), shown.groups);
  return dayChart.show(shown);
}

/** The hours of one day are what the bars show already. */
function showHours({ daily }) {
  const [from, to] = withinArchive(daily);
  part("hours").hidden = from === to;
  return from === to ? null : hours.show(daily.days, from, to);
}

/** The archive's first day; of one that was empty when the page was written, its first one now. */
const firstDay = ({ days }) => form.dataset.first || days[0]?.d;

/** The days of the period that are archived, as far as is known: no weekday before or after counts. */
function withinArchive(daily) {
  const [from, to] = ends(daily);
  const [first, last] = [firstDay(daily) ?? from, filters.today];
  return [first > from && first <= to ? first : from, last < to && last >= from ? last : to];
}

function span() {
  return untilToday(filters.span, filters.today);
}

function ends({ days }) {
  return endsOf(span(), days, filters.today);
}
