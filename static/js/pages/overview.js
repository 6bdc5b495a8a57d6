// The overview: a few API reads that follow the filters in the address; each part shows those it needs.

import { at } from "../shared/addresses.js";
import { DayChart } from "../charts/day_chart.js";
import { daysShown } from "../charts/day_series.js";
import { StateStrip } from "../charts/state_strip.js";
import { oneRow } from "../charts/strip_layouts.js";
import { endsOf, isToCome, untilToday, within } from "../charts/day_groups.js";
import { barChoices, bindBarChoices, showBarChoices } from "./overview/bar_choices.js";
import { bindComparison, choiceIn, comparedWith } from "./overview/comparison_choice.js";
import { callsOfHour } from "./overview/hour_calls.js";
import { BudgetPart } from "./overview/budget_part.js";
import { showFigures, showSparks } from "./overview/figures.js";
import { hoursPart } from "./overview/hours_part.js";
import { askedModel } from "./overview/model_hours.js";
import { monthPart } from "./overview/month_part.js";
import { bindNoCalls } from "./overview/no_calls.js";
import { HatchedParts } from "./overview/hatched_parts.js";
import { fillPart, idle } from "./overview/part_filling.js";
import { unknownPoints } from "./overview/unknown_days.js";
import { onReturn } from "../shared/connection.js";
import { showErased } from "../shared/erased_line.js";
import { isNarrowed, WITHOUT } from "../shared/filter_names.js";
import { bindFilters, showNames } from "../shared/filters.js";
import { day as dayOf } from "../shared/formats.js";
import { openFetching } from "../shared/fetch_dialog.js";
import { forgetNames } from "../shared/model_colours.js";
import { cover, queryOf } from "../shared/periods.js";
import { hasRecords, quietDays, readsFor } from "./overview/overview_reads.js";
import { fillSentence } from "./overview/sentence_part.js";
import { sharesOf } from "./overview/shares.js";
import { Tabs } from "./overview/tabs.js";
import { showTop } from "./overview/top_requests.js";
import { fill, gettext } from "../shared/i18n.js";
import { yearMap } from "../charts/year_map.js";
import { byId, find, findAll } from "../shared/page_elements.js";

const REFRESH = 110_000;
const CHARTS = ["days", "hours", "year"];
const overview = byId("overview");
const emptyArchive = document.getElementById("empty-archive");
/** @param {string} name */
const part = (name) => find(overview, `[data-part="${name}"]`);
const stale = find(overview, "[data-stale]");
const filters = bindFilters({ usual: "30", onChange: follow });
/** @type {OnSpan} */
const goTo = (from, to) => filters.set({ period: "custom", from, to });
const tabs = new Tabs(find(overview, "[data-tabs]"), (tab) => filters.set({ tab }));
const dayChart = new DayChart(part("days"), goTo);
const budgets = new BudgetPart(part("budgets"), () => latest && showDays(latest));
const month = monthPart(part("month"));
const hatched = new HatchedParts();
const hours = hoursPart(part("hours"), filters, hatched);
const year = yearMap(part("year"), goTo);
const strip = new StateStrip(part("coverage"), oneRow, openFetching);
const models = sharesOf(part("models"), "model", (model) => filters.set({ model }));
const clients = sharesOf(part("clients"), "client", (client) => filters.set({ client }));
// Calls whose purpose is not known have no prompt either.
const purposes = sharesOf(part("purposes"), "purpose", (purpose) => filters.set({ purpose }), (isKnown) => at(`/records?${queryOf({ ...filters.state, purpose: WITHOUT })}&with_prompt=${isKnown ? 1 : 0}`));
const showWhetherSome = bindNoCalls(overview, filters.set);
let before = /** @type {Span} */ ({}); // The days that the period is compared with at present.
const showComparison = bindComparison((compare) => filters.set({ compare }), () => before);

/**
 * @typedef {import("../charts/ledger_days.js").Ledger} Ledger
 * @typedef {ReturnType<typeof readsFor>} Reads
 * @typedef {{summary: Summary, daily: Daily, earlier: Daily | null, dims: Dims, top: TopCall[], forecast: Forecast | null, coverage: Coverage, ledger: Ledger | undefined, soonLedger: void, budgets: Budget[], soonBudgets: void, names: void, hasCalls: boolean}} Given
 * @typedef {{needs: (keyof Reads)[], show: (given: Given) => unknown, within?: boolean, isTable?: boolean}} Part
 */

// What each part needs, and how it shows it. Parts `within` the period show nothing if the period has no calls. Tables are
// below the charts and are filled after them.
/** @type {Record<string, Part>} */
const PARTS = {
  figures: { needs: ["summary", "daily", "soonLedger"], show: showSummary },
  days: { needs: ["summary", "daily", "earlier", "dims", "names", "soonLedger", "soonBudgets"], show: showDays, within: true },
  budgets: { needs: ["budgets", "forecast"], show: (given) => budgets.show(given.budgets, given.forecast) },
  month: { needs: ["daily", "ledger", "forecast"], show: (given) => month.show(given.daily.days, filters.today, { ...given, isNarrowed: isNarrowed(filters.state) }) },
  hours: { needs: ["daily", "dims", "soonLedger"], show: showHours, within: true },
  year: { needs: ["daily", "soonLedger"], show: showYear },
  coverage: { needs: ["coverage", "ledger"], show: showCoverage },
  models: { needs: ["dims", "daily", "ledger", "names"], show: (given) => models.show(given.dims, filters.state.model, seen(given)), within: true, isTable: true },
  clients: { needs: ["dims", "daily", "ledger"], show: (given) => clients.show(given.dims, filters.state.client, seen(given)), within: true, isTable: true },
  purposes: { needs: ["dims", "daily", "ledger"], show: (given) => purposes.show(given.dims, filters.state.purpose, seen(given)), within: true, isTable: true },
  top: { needs: ["top", "names"], show: ({ top }) => { showTop(top, filters.state, filters.today); showErased(document.body, filters.span); }, within: true, isTable: true },
};
let reading = new AbortController();
let loadedFor = "";
/** @type {Given | undefined} */
let latest;
/** @type {Reads | undefined} */
let latestReads;
let loadedAt = 0;

document.addEventListener("archive:collected", renew);
onReturn(begin);
document.addEventListener("archive:status", ({ detail }) => refresh(detail));
for (const again of findAll(overview, "[data-again]")) again.addEventListener("click", load);
bindBarChoices(part("days"), filters.set);
begin();

/** Shows the parts; while nothing is archived, the first steps stay. */
async function begin() {
  if (emptyArchive && overview.hidden) {
    if (!(await hasRecords())) return;
    const held = emptyArchive.contains(document.activeElement) || document.activeElement === document.body;
    emptyArchive.hidden = byId("first-steps").hidden = true;
    overview.hidden = false;
    find(document, "[data-filled]").hidden = false;
    // The focused button is hidden now: move the focus to the content.
    if (held) byId("content").focus();
  }
  await load();
}

/** If the filters and the comparison are the same, only the tab or the choice of what the charts show has changed. */
async function follow() {
  showComparison();
  tabs.show();
  if (!latestReads || keyOf() !== loadedFor) {
    await load();
    return;
  }
  if (latest) showDays(latest);
  for (const name of openParts()) if (part(name).dataset.asked !== keyFor(name)) fillOne(name, latestReads, reading.signal);
}

/** The parts that are not on the closed tab, which are filled when it is opened; and the days, for the lines of the figures. */
function openParts() {
  return Object.keys(PARTS).filter((name) => name === "days" || !tabs.isClosed(part(name)));
}

/** What the shown answers were asked for. */
function keyOf() {
  return `${queryOf(filters.state)} ${choiceIn(location.search)}`;
}

/**
 * What a part shows depends on: not all of them change with the period, or the hours with more.
 * @param {string} name
 */
function keyFor(name) {
  if (["month", "year"].includes(name)) return queryOf({ ...filters.state, period: "", from: "", to: "" }).toString();
  return name === "hours" ? `${keyOf()} ${askedModel()}` : keyOf();
}

/**
 * Keeps an open page up to date: with new records, also the first ones of a run that it does not follow, and with a new day.
 * @param {StatusDetail} detail
 */
async function refresh({ status, ended, error }) {
  if (overview.hidden) return ended ? renew() : undefined;
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
  if (loadedFor) reading.abort(); // It captures the stack, which the first read need not wait for.
  reading = new AbortController();
  loadedAt = Date.now();
  latest = latestReads = undefined;
  const isOther = loadedFor !== keyOf();
  hatched.begin(isOther);
  loadedFor = keyOf();
  const { signal } = reading;
  const compare = isToCome(span(), filters.today) ? "" : comparedWith(choiceIn(location.search), filters.state.period);
  const reads = readsFor(filters.state, span(), compare, signal);
  latestReads = reads;
  // Figures and charts wait a moment for the ledger; those that are there get their unknown days once it comes.
  reads.ledger.then((known) => {
    if (!known || signal.aborted) return;
    hatched.ledger = known;
    hatched.showAgain();
  });
  reads.budgets.then((found) => { if (!signal.aborted) budgets.note(found); }, () => {});
  fillSentence(find(part("figures"), "[data-sentence]"), reads, isOther, seenOf, signal);
  reads.daily.then((daily) => filters.quiet(quietDays(daily, cover([span(), filters.calendar.year])), daily.days[0]?.d), () => {});
  for (const name of Object.keys(PARTS)) delete part(name).dataset.asked;
  const filled = openParts().map((name) => ({ name, done: fillOne(name, reads, signal) }));
  await Promise.all(filled.filter(({ name }) => CHARTS.includes(name)).map(({ done }) => done));
  if (!signal.aborted) performance.mark("archive:charts");
}

/**
 * @param {string} name
 * @param {Reads} reads
 * @param {AbortSignal} signal
 */
function fillOne(name, reads, signal) {
  const { needs, show, within, isTable } = PARTS[name];
  /** @type {(keyof Reads)[]} */
  const needed = [...needs, "hasCalls"];
  const read = async () => {
    const given = Object.fromEntries(await Promise.all(needed.map(async (one) => [one, await reads[one]])));
    if (isTable) await idle();
    return /** @type {Given} */ (given);
  };
  return fillPart(part(name), keyFor(name), read, (given) => (!within || given.hasCalls) && show(given), signal);
}

/** @param {Pick<Given, "summary" | "daily">} given */
function showSummary({ summary, daily }) {
  showWhetherSome(summary.calls > 0, daily.days.length > 0, filters.state);
  const { from, to } = summary.comparison?.window ?? {};
  before = from && to ? { from, to } : {};
  hatched.show("figures", () => showNumbers({ summary, daily }));
}

/** @param {Pick<Given, "summary" | "daily">} given */
function showNumbers({ summary, daily }) {
  showFigures(part("figures"), summary, { ...seenOf(daily), ledger: hatched.ledger });
}

/**
 * The days that are shown, until today unless all are to come, and the first day of the archive.
 * @param {Daily} daily
 */
function seenOf(daily) {
  const [from, to] = ends(daily);
  const { today, state } = filters;
  return { span: { from, to: to < today || isToCome({ from }, today) ? to : today }, first: firstDay(daily), today, state };
}

/** @param {Given} given */
function showDays(given) {
  latest = given;
  return hatched.show("days", () => drawDays(given));
}

/** @param {Given} given */
function drawDays(given) {
  const { show, by } = barChoices(part("days"), given.daily.days);
  const [from, to] = ends(given.daily);
  const now = given.summary.partial?.hhmm;
  const { today, state } = filters;
  const { model } = state;
  const shown = daysShown(given, { from, to, show, by, today, now, model, ledger: hatched.ledger, first: firstDay(given.daily), limit: budgets.ofDay(state) });
  showBarChoices(part("days"), show, shown.grain, { from, to });
  find(part("days"), "h2").textContent = shown.title;
  find(part("days"), "[data-note]").textContent = shown.note;
  showSparks(part("figures"), shown.groups, shown.isOpen, shown.bars.map(({ unknown }) => Boolean(unknown)));
  return dayChart.show({ ...shown, addressOf: (hour) => callsOfHour(state, from, hour) });
}

/** @param {Pick<Given, "daily">} given */
function showYear({ daily }) {
  hatched.show("year", () => year.show(daily.days, filters.calendar.year, hatched.ledger));
}

/** @param {Pick<Given, "ledger">} given */
function showCoverage({ ledger: known }) {
  const days = known?.within(span()) ?? [];
  part("coverage").hidden = !days.length;
  strip.show(days);
  find(part("figures"), "[data-seal] a", HTMLAnchorElement).href = days.length ? "#coverage-title" : at("/runs#ledger");
}

/** @param {Given} given */
function showHours(given) {
  return hours(given, within(ends(given.daily), firstDay(given.daily), filters.today), span(), reading.signal);
}

/**
 * The first day of the archive, or of the answer if that is earlier: calls may have come since the page was rendered.
 * @param {Daily} daily
 */
const firstDay = ({ days }) => [filters.firstDay, days[0]?.d].filter(Boolean).sort()[0];

/**
 * What the tables need to know of the period beside its sums.
 * @param {Given} given
 */
function seen({ daily, dims, ledger: known }) {
  const [from, to] = ends(daily);
  return { first: firstDay(daily), isOpen: to === filters.today, ledger: known, unknown: unknownPoints(known, { from, to }, dims.trend?.days ?? 1) };
}

function span() {
  return untilToday(filters.span, filters.today);
}

/** @param {Daily} daily */
function ends({ days }) {
  return endsOf(span(), days, filters.today);
}
