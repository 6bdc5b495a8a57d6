// The series of the bar chart: credits by model, calls, or free and billed calls, by day or by hour.

import { groupsOf, longName, shortName } from "./day_groups.js";
import { unknownWords } from "./ledger_days.js";
import { credits, whole } from "../shared/formats.js";
import { OTHER, colourOf, isBig } from "../shared/model_colours.js";
import { fill, gettext, ngettext } from "../shared/i18n.js";

/** @typedef {import("./ledger_days.js").Ledger} Ledger */

/** @type {Record<Grain, string>} */
const TITLES = { hour: gettext("Hours"), day: gettext("Days"), week: gettext("Weeks"), month: gettext("Months") };
/** @type {Record<Grain, string>} */
const GRAINS = {
  hour: gettext("Each bar is one hour, all models together."),
  day: "",
  week: gettext("More than 120 days: each bar is one week."),
  month: gettext("More than two years: each bar is one month."),
};
/** @type {Record<string, string>} */
const LABELS = {
  credits: gettext("Bar chart of credits; the table below shows the same values."),
  calls: gettext("Bar chart of calls; the table below shows the same values."),
  free: gettext("Bar chart of free and billed calls; the table below shows the same values."),
};

/**
 * What the chart of the days from..to shows; `show` is "credits", "calls" or "free".
 * @param {{daily: Daily, dims: Pick<Dims, "hour">}} answers
 * @param {{from: string, to: string, today: string, show: string, model: string, ledger?: Ledger | undefined}} asked
 * @returns {DaysShown}
 */
export function daysShown({ daily, dims }, { from, to, today, show, model, ledger }) {
  if (from === to) return hoursShown(from, dims.hour, show);
  const { grain, groups } = groupsOf(daily.days, from, to);
  const together = show === "calls" && !model ? gettext("Calls of all models together.") : "";
  const partial = to === today ? gettext("The last bar is paler: today is not over yet.") : "";
  return {
    groups,
    title: TITLES[grain],
    head: TITLES[grain],
    note: [GRAINS[grain], together, partial].filter(Boolean).join(" "),
    label: LABELS[show],
    bars: dayBars(groups, grain, today, ledger),
    series: show === "credits" ? modelSeries(groups) : seriesOf(groups, show),
  };
}

/**
 * A single day by hour; the API has no models by hour.
 * @param {string} day
 * @param {DimItem[]} hours
 * @param {string} show
 * @returns {DaysShown}
 */
function hoursShown(day, hours, show) {
  const series = seriesOf(hours, show);
  return { groups: hours, title: TITLES.hour, head: TITLES.hour, note: GRAINS.hour, label: LABELS[show], bars: hourBars(day, hours), series };
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
    return { from, to, partial, unknown, short: shortName(group, grain), long: withUnknown(days, found?.count ?? 0, unknown) };
  });
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
 * The bars of the hours; they have no `from` and `to`, so they cannot be selected.
 * @param {string} day
 * @param {DimItem[]} hours
 * @returns {Bar[]}
 */
const hourBars = (day, hours) => hours.map(({ name }) => (
  { short: `${name}:00`, long: fill(gettext("%(day)s, %(hour)s:00 to %(hour)s:59"), { day, hour: name }) }
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
      series(gettext("Billed calls"), groups.map(({ calls, free }) => calls - free), whole, "accent"),
      series(gettext("Free calls"), groups.map(({ free }) => free), whole, "free"),
    ];
  }
  return [series(gettext("Credits"), groups.map((group) => group.credits), credits, "accent")];
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
