// The overview: a few API reads that follow the filters in the address; each part shows those it needs.

import { DayChart } from "../charts/day_chart.js";
import { daysShown } from "../charts/day_series.js";
import { Ledger } from "../charts/ledger_days.js";
import { EDGES } from "../charts/stacked_bars.js";
import { StateStrip } from "../charts/state_strip.js";
import { belowBars } from "../charts/strip_layouts.js";
import { endsOf, untilToday } from "../charts/day_groups.js";
import { showFigures, showSparks } from "./overview/figures.js";
import { onReturn } from "../shared/connection.js";
import { DIMS } from "../shared/filter_names.js";
import { bindFilters, showNames } from "../shared/filters.js";
import { day as dayOf } from "../shared/formats.js";
import { hoursMap } from "../charts/hours_map.js";
import { openFetching } from "../shared/fetch_dialog.js";
import { forgetNames, loadNames } from "../shared/model_colours.js";
import { queryOf } from "../shared/periods.js";
import { readsFor } from "./overview/overview_reads.js";
import { sharesOf } from "./overview/shares.js";
import { showTop } from "./overview/top_requests.js";
import { fill, gettext } from "../shared/i18n.js";
import { yearMap } from "../charts/year_map.js";
import { byId, find, findAll } from "../shared/page_elements.js";

const REFRESH = 110_000;
const CHARTS = ["days", "hours", "year"];
const SHOWS = ["credits", "calls", "free"];
const overview = byId("overview");
const firstSteps = document.getElementById("first-steps");
/** @param {string} name */
const part = (name) => find(overview, `[data-part="${name}"]`);
const some = findAll(overview, "[data-some]");
const none = find(overview, "[data-none]");
const stale = find(overview, "[data-stale]");
const filters = bindFilters({ usual: "30", onChange: follow });
/**
 * @param {string} from
 * @param {string} to
 */
const goTo = (from, to) => filters.set({ period: "custom", from, to });
const dayChart = new DayChart(part("days"), goTo);
const hours = hoursMap(part("hours"));
const year = yearMap(part("year"), goTo);
const strip = new StateStrip(part("coverage"), belowBars(EDGES), openFetching);
const models = sharesOf(part("models"), "model", (model) => filters.set({ model }));
const clients = sharesOf(part("clients"), "client", (client) => filters.set({ client }));
const purposes = sharesOf(part("purposes"), "purpose", (purpose) => filters.set({ purpose }));

/**
 * @typedef {ReturnType<typeof readsFor>} Reads
 * @typedef {{summary: Summary, daily: Daily, dims: Dims, top: TopCall[], coverage: Coverage, names: void, hasCalls: boolean}} Given
 * @typedef {{needs: (keyof Reads)[], show: (given: Given) => unknown, within?: boolean}} Part
 */

// What each part needs, and how it shows it. Parts `within` the period show nothing if the period has no calls.
/** @type {Record<string, Part>} */
const PARTS = {
  figures: { needs: ["summary", "daily"], show: showSummary },
  days: { needs: ["daily", "dims", "names"], show: showDays, within: true },
  hours: { needs: ["daily"], show: showHours, within: true },
  year: { needs: ["daily"], show: showYear },
  coverage: { needs: ["daily", "coverage"], show: showCoverage },
  models: { needs: ["dims", "names"], show: ({ dims }) => models.show(dims.model, filters.state.model), within: true },
  clients: { needs: ["dims"], show: ({ dims }) => clients.show(dims.client, filters.state.client), within: true },
  purposes: { needs: ["dims"], show: ({ dims }) => purposes.show(dims.purpose, filters.state.purpose), within: true },
  top: { needs: ["top", "names"], show: ({ top }) => showTop(part("top"), top, filters.state), within: true },
};
let reading = new AbortController();
let loadedFor = "";
/** @type {Given | undefined} */
let latest;
/** @type {Ledger | undefined} */
let ledger;
let loadedAt = 0;

document.addEventListener("archive:collected", renew);
onReturn(begin);
document.addEventListener("archive:status", ({ detail }) => refresh(detail));
for (const again of findAll(overview, "[data-again]")) again.addEventListener("click", load);
for (const choice of findAll(overview, "[name=show]", HTMLInputElement)) {
  choice.addEventListener("change", () => filters.set({ show: choice.value === SHOWS[0] ? "" : choice.value }));
}
find(none, "[data-all-days]").addEventListener("click", () => filters.set({ period: "all" }));
find(none, "[data-all-names]").addEventListener("click", () => filters.set({ model: "", client: "", purpose: "" }));
begin();

/** Shows the parts; while nothing is archived, the first steps stay. */
async function begin() {
  if (firstSteps && overview.hidden) {
    if (!(await hasRecords())) return;
    const held = firstSteps.contains(document.activeElement) || document.activeElement === document.body;
    firstSteps.hidden = true;
    overview.hidden = false;
    find(document, "[data-filled]").hidden = false;
    // The focused button is hidden now: move the focus to the content.
    if (held) byId("content").focus();
  }
  await load();
}

async function hasRecords() {
  try {
    return (await loadNames()).models.length > 0;
  } catch {
    // The parts report the error and can be tried again.
    return true;
  }
}

/**
 * If the filters are the same, only the choice of what the bars show has changed.
 * @param {State} state
 */
function follow(state) {
  if (latest && String(queryOf(state)) === loadedFor) showDays(latest);
  else load();
}

/**
 * Keeps an open page up to date: with new records, and with a new day.
 * @param {StatusDetail} detail
 */
async function refresh({ status, ended, error }) {
  if (overview.hidden) return;
  try {
    if (error || !status) throw error;
    const isAnotherDay = await filters.renewDay(dayOf(status.server_time));
    stale.hidden = true;
    if (ended) renew();
    else if (isAnotherDay || Date.now() - loadedAt >= REFRESH) load();
  } catch (why) {
    stale.hidden = false;
    stale.textContent = fill(gettext("Not up to date: %(why)s"), { why: why.message });
  }
}

/** Reloads after a collection: there may be new models, clients and purposes. */
function renew() {
  forgetNames();
  begin();
  showNames();
}

async function load() {
  reading.abort();
  reading = new AbortController();
  loadedAt = Date.now();
  latest = undefined;
  ledger = undefined;
  loadedFor = String(queryOf(filters.state));
  const { signal } = reading;
  const reads = readsFor(filters.state, span(), signal);
  const filled = Object.fromEntries(Object.keys(PARTS).map((name) => [name, fillPart(name, reads, loadedFor, signal)]));
  await Promise.all(CHARTS.map((name) => filled[name]));
  if (!signal.aborted) performance.mark("archive:charts");
}

/**
 * Shows one part once its reads are complete, or the error in its place.
 * @param {string} name
 * @param {Reads} reads
 * @param {string} key
 * @param {AbortSignal} signal
 */
async function fillPart(name, reads, key, signal) {
  const node = part(name);
  const { needs, show, within } = PARTS[name];
  const failed = find(node, "[data-failed]");
  node.setAttribute("aria-busy", "true");
  try {
    /** @type {(keyof Reads)[]} */
    const needed = [...needs, "hasCalls"];
    const given = /** @type {Given} */ (Object.fromEntries(await Promise.all(needed.map(async (one) => [one, await reads[one]]))));
    if (signal.aborted) return;
    if (!within || given.hasCalls) await show(given);
    node.dataset.shown = key;
    failed.hidden = true;
  } catch (error) {
    if (signal.aborted) return;
    find(failed, "[data-failed-text]").textContent = error.message;
    failed.hidden = false;
  }
  // Values of other filters would be mistaken for current ones.
  node.toggleAttribute("data-void", !failed.hidden && node.dataset.shown !== key);
  node.setAttribute("aria-busy", "false");
}

/** @param {Pick<Given, "summary" | "daily">} given */
function showSummary({ summary, daily }) {
  for (const node of some) node.hidden = !summary.calls;
  none.hidden = Boolean(summary.calls);
  find(none, "[data-none-other]").hidden = !daily.days.length;
  const { period } = filters.state;
  find(none, "[data-all-days]").hidden = period === "all";
  find(none, "[data-all-names]").hidden = DIMS.every((dim) => !filters.state[dim]);
  showFigures(part("figures"), summary, firstDay(daily));
}

/** @param {Given} given */
function showDays(given) {
  latest = given;
  const asked = new URLSearchParams(location.search).get("show") ?? "";
  const show = SHOWS.includes(asked) ? asked : SHOWS[0];
  find(part("days"), `[name="show"][value="${show}"]`, HTMLInputElement).checked = true;
  const [from, to] = ends(given.daily);
  const shown = daysShown(given, { from, to, show, today: filters.today, model: filters.state.model, ledger });
  find(part("days"), "h2").textContent = shown.title;
  find(part("days"), "[data-note]").textContent = shown.note;
  showSparks(part("figures"), shown.groups);
  return dayChart.show(shown);
}

/** @param {Pick<Given, "daily">} given */
function showYear({ daily }) {
  year.show(daily.days, filters.calendar.year, ledger);
}

/**
 * Shows the strip. The charts do not wait for the ledger; those that are drawn get their unknown days now.
 * @param {Given} given
 */
function showCoverage({ daily, coverage }) {
  ledger = new Ledger(coverage);
  const days = ledger.within(span());
  part("coverage").hidden = !days.length;
  strip.show(days);
  showYear({ daily });
  if (latest) showDays(latest);
}

/**
 * Shows the hours of the week; hidden for a single day, whose hours are in the bars.
 * @param {Pick<Given, "daily">} given
 */
function showHours({ daily }) {
  const [from, to] = withinArchive(daily);
  part("hours").hidden = from === to;
  return from === to ? null : hours.show(daily.days, from, to);
}

/**
 * The first day of the archive; if the archive was empty when the page was rendered, the first day of the answer.
 * @param {Daily} daily
 */
const firstDay = ({ days }) => filters.firstDay || days[0]?.d;

/**
 * The part of the period that is in the archive, so that weekdays before and after do not count.
 * @param {Daily} daily
 */
function withinArchive(daily) {
  const [from, to] = ends(daily);
  const [first, last] = [firstDay(daily) ?? from, filters.today];
  return [first > from && first <= to ? first : from, last < to && last >= from ? last : to];
}

function span() {
  return untilToday(filters.span, filters.today);
}

/** @param {Daily} daily */
function ends({ days }) {
  return endsOf(span(), days, filters.today);
}
