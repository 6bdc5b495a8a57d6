// The series of the bar chart: credits by model, calls, free and billed calls, or tokens, by day or by hour.

import { fits, groupsOf, longName, shortName } from "./day_groups.js";
import { lineOfDays, lineOfHours } from "./earlier_line.js";
import { unknownWords } from "./ledger_days.js";
import { credits, ofUnknownAmount, share, whole } from "../shared/formats.js";
import { OTHER, colourAt, colourOf, isBig } from "../shared/model_colours.js";
import { fill, gettext, ngettext, sentences } from "../shared/i18n.js";

/** @typedef {import("./ledger_days.js").Ledger} Ledger */

/** @type {Record<Grain, string>} */
const TITLES = { hour: gettext("Hours"), day: gettext("Days"), week: gettext("Weeks"), month: gettext("Months") };
/** @type {Grain[]} What somebody can choose. */
export const GROUPED = ["day", "week", "month"];
// How many times the highest bar a budget may be to be shown.
const FARTHEST = 3;
/** @type {Record<Grain, string>} */
const GRAINS = {
  hour: gettext("Each bar is one hour, all models together."),
  day: "",
  week: gettext("More than 120 days: each bar is one week."),
  month: gettext("More than two years: each bar is one month."),
};
/** @type {Record<string, string>} */
const LABELS = {
  credits: gettext("Bar chart of %(unit)s; the table below shows the same values."),
  calls: gettext("Bar chart of calls; the table below shows the same values."),
  free: gettext("Bar chart of free and billed calls; the table below shows the same values."),
  tokens: gettext("Bar chart of tokens; the table below shows the same values."),
};
/** @type {[keyof TokenCounts, string, number][]} The kinds of tokens, from below, with the places of their colours. */
const TOKENS = [["cache_read", gettext("Cache read"), 2], ["cache_write", gettext("Cache write"), 4], ["in", gettext("New input"), 0], ["out", gettext("Output"), 3]];

/**
 * What the chart of the days from..to shows; `show` is "credits", "calls", "free" or "tokens", `by` the grain that was chosen. `now`
 * is the time of the server, HH:MM, `limit` the budget of a day.
 * @param {{daily: Daily, earlier?: Daily | null, dims: Pick<Dims, "hour" | "comparison">}} answers
 * @param {{from: string, to: string, today: string, now?: string | undefined, show: string, by?: string, model: string, ledger?: Ledger | undefined, first?: string | undefined, limit?: number | undefined}} asked
 * @returns {DaysShown}
 */
export function daysShown({ daily, earlier, dims }, { from, to, today, now, show, by, model, ledger, first, limit }) {
  // Tokens have no sums by hour.
  if (from === to && show !== "tokens") return hoursShown(from, dims, show, from === today ? now : undefined);
  const chosen = GROUPED.find((grain) => grain === by && fits(from, to, grain));
  const { grain, groups } = groupsOf(daily.days, from, to, chosen);
  const bars = dayBars(groups, grain, today, ledger).map((bar, place) => withoutAmount(bar, groups[place], show));
  const together = show === "calls" && !model ? gettext("Calls of all models together.") : "";
  return {
    groups,
    isOpen: to === today,
    grain,
    title: TITLES[grain],
    head: TITLES[grain],
    note: sentences([chosen ? "" : GRAINS[grain], together, show === "tokens" ? cachedWords(groups) : "", paleWords(bars, groups)]),
    label: LABELS[show],
    isCount: show !== "credits",
    bars,
    limit: show === "credits" && grain === "day" ? limitOf(groups, limit) : undefined,
    line: show === "tokens" ? undefined : lineOfDays(earlier?.comparison, groups, show, first, ledger),
    series: show === "credits" ? modelSeries(groups) : show === "tokens" ? tokenSeries(groups) : seriesOf(groups, show),
  };
}

/**
 * The budget of a day as a line; none where it is so far above the bars that they would be flat.
 * @param {DayGroup[]} groups
 * @param {number | undefined} limit
 */
function limitOf(groups, limit) {
  const most = Math.max(...groups.map((group) => group.credits));
  if (!limit || limit > most * FARTHEST) return undefined;
  return { value: limit, name: fill(gettext("Budget of a day: %(credits)s"), { credits: credits(limit) }) };
}

/**
 * What the paler bar is, if there is one: the last group is not over, and has calls.
 * @param {Bar[]} bars
 * @param {Group[]} groups
 */
function paleWords(bars, groups) {
  const last = bars.findLastIndex(({ partial }) => partial);
  if (last < 0 || bars[last].unknown || !groups[last].calls) return "";
  return bars[last].hour ? gettext("The last bar is paler: this hour is not over yet.") : gettext("The last bar is paler: today is not over yet.");
}

/**
 * A single day by hour; the API has no models by hour. The hours after `now` are bars without a value.
 * @param {string} day
 * @param {Pick<Dims, "hour" | "comparison">} dims
 * @param {string} show
 * @param {string | undefined} now
 * @returns {DaysShown}
 */
function hoursShown(day, { hour: hours, comparison }, show, now) {
  const bars = hourBars(day, hours, now?.slice(0, 2)).map((bar, place) => withoutAmount(bar, hours[place], show));
  const begun = now ? hours.filter(({ name }) => name <= now.slice(0, 2)) : hours;
  return {
    groups: begun,
    isOpen: Boolean(now),
    grain: "hour",
    title: TITLES.hour,
    head: TITLES.hour,
    note: sentences([GRAINS.hour, paleWords(bars, hours)]),
    label: LABELS[show],
    isCount: show !== "credits",
    bars,
    line: lineOfHours(comparison, hours, show),
    series: seriesOf(hours, show),
  };
}

/**
 * @param {DayGroup[]} groups
 * @param {Grain} grain
 * @param {string} today
 * @param {Ledger} [ledger]
 * @returns {Bar[]}
 */
function dayBars(groups, grain, today, ledger) {
  return groups.map((group) => {
    const { from, to } = group;
    const partial = to === today;
    const found = ledger?.unknownWithin(group);
    const unknown = found?.all ? found.state : null;
    const days = partial ? fill(gettext("%(days)s, so far"), { days: longName(group) }) : longName(group);
    return { from, to, partial, unknown, lacking: found?.state, short: shortName(group, grain), long: withUnknown(days, found?.count ?? 0, unknown) };
  });
}

/**
 * A bar whose calls all have unknown amounts shows no value, and says why.
 * @param {Bar} bar
 * @param {Group} group
 * @param {string} show
 * @returns {Bar}
 */
function withoutAmount(bar, { calls, without_amount: unknown = 0 }, show) {
  if (show !== "credits" || !unknown || unknown < calls) return bar;
  return { ...bar, isUnpriced: true, long: fill(gettext("%(days)s, %(why)s"), { days: bar.long, why: ofUnknownAmount(unknown) }) };
}

/**
 * The name of a bar, with the number of its days that are not archived, or why none of them is.
 * @param {string} days
 * @param {number} count
 * @param {UnknownState | null} state
 */
function withUnknown(days, count, state) {
  if (state) return fill(gettext("%(days)s, %(why)s"), { days, why: unknownWords(state) });
  return count ? fill(ngettext("%(days)s, %(count)s day not archived", "%(days)s, %(count)s days not archived", count), { days, count: whole(count) }) : days;
}

/**
 * The bars of the hours; each leads to its calls, if it has any.
 * @param {string} day
 * @param {DimItem[]} hours
 * @param {string | undefined} current
 * @returns {Bar[]}
 */
const hourBars = (day, hours, current) => hours.map(({ name, calls }) => (
  {
    ...(calls && { hour: name }), partial: name === current,
    short: `${name}:00`, long: fill(gettext("%(day)s, %(hour)s:00 to %(hour)s:59"), { day, hour: name }),
  }
));

/**
 * Series of `{name, values, format, colour}`; `colour(named)` may look up a colour of the page with `named`.
 * @param {Group[]} groups
 * @param {string} show
 * @returns {Series[]}
 */
function seriesOf(groups, show) {
  if (show === "calls") return [series(gettext("Calls"), groups.map(({ calls }) => calls), whole, "accent")];
  if (show === "free") {
    return [
      series(gettext("Billed calls"), groups.map(({ calls, free, without_amount: unknown = 0 }) => calls - free - unknown), whole, "accent"),
      series(gettext("Free calls"), groups.map(({ free }) => free), whole, "free"),
    ];
  }
  return [series(gettext("%(Unit)s"), groups.map((group) => group.credits), credits, "accent")];
}

/**
 * @param {string} name
 * @param {number[]} values
 * @param {Series["format"]} format
 * @param {string} colour
 * @returns {Series}
 */
function series(name, values, format, colour) {
  return { name, values, format, colour: (named) => named(colour) };
}

/**
 * The tokens of each kind that some group has.
 * @param {DayGroup[]} groups
 * @returns {Series[]}
 */
function tokenSeries(groups) {
  const kinds = TOKENS.map(([kind, name, place]) => ({ name, values: groups.map(({ tokens }) => tokens[kind]), format: whole, colour: () => colourAt(place) }));
  return kinds.filter(({ values }) => values.some(Boolean));
}

/**
 * How much of the input came from the cache.
 * @param {DayGroup[]} groups
 */
function cachedWords(groups) {
  const sum = (/** @type {keyof TokenCounts} */ kind) => groups.reduce((all, { tokens }) => all + tokens[kind], 0);
  const [read, input] = [sum("cache_read"), sum("cache_read") + sum("cache_write") + sum("in")];
  return read ? fill(gettext("%(share)s of the input came from the cache."), { share: share(read, input) }) : "";
}

/**
 * The nine biggest models of the groups, biggest first, and the others as one series at the end.
 * @param {DayGroup[]} groups
 * @returns {Series[]}
 */
function modelSeries(groups) {
  /** @type {Map<string, number>} */
  const sums = new Map();
  const split = groups.map(({ models }) => {
    /** @type {Map<string, number>} */
    const own = new Map();
    for (const [model, spent] of models) {
      const name = isBig(model) ? model : OTHER;
      for (const map of [own, sums]) map.set(name, (map.get(name) ?? 0) + spent);
    }
    return own;
  });
  const rank = (/** @type {string} */ name) => (name === OTHER ? -1 : sums.get(name) ?? 0);
  const names = [...sums.keys()].sort((one, other) => rank(other) - rank(one));
  return names.map((name) => (
    { name: modelName(name), values: split.map((own) => own.get(name) ?? 0), format: credits, colour: () => colourOf(name) }
  ));
}

/** @param {string} name */
function modelName(name) {
  if (name === OTHER) return gettext("Other models");
  return name || gettext("no model");
}
