// What the bars of the days are made of: credits by model, calls, or free and billed calls; of days or of hours.

import { groupsOf, longName, shortName } from "./day_groups.js";
import { credits, whole } from "../shared/formats.js";
import { OTHER, colourOf, isBig } from "../shared/model_colours.js";
import { fill, gettext } from "../shared/i18n.js";

const TITLES = { hour: gettext("Hours"), day: gettext("Days"), week: gettext("Weeks"), month: gettext("Months") };
const GRAINS = {
  hour: gettext("One bar is an hour, all models together."),
  day: "",
  week: gettext("More than 120 days: one bar is a week."),
  month: gettext("More than two years: one bar is a month."),
};
const LABELS = {
  credits: gettext("Credits as bars; the same as a table is below."),
  calls: gettext("Calls as bars; the same as a table is below."),
  free: gettext("Free and billed calls as bars; the same as a table is below."),
};

/** What the chart of the days from..to draws and says: `show` is "credits", "calls" or "free". */
export function daysShown({ daily, dims }, { from, to, today, show, model }) {
  const { grain, groups } = from === to ? { grain: "hour", groups: dims.hour } : groupsOf(daily.days, from, to);
  const together = grain !== "hour" && show === "calls" && !model ? gettext("Calls of all models together.") : "";
  const partial = grain !== "hour" && to === today ? gettext("The last bar is paler: today counts so far.") : "";
  return {
    groups,
    title: TITLES[grain],
    head: TITLES[grain],
    note: [GRAINS[grain], together, partial].filter(Boolean).join(" "),
    label: LABELS[show],
    bars: grain === "hour" ? hourBars(from, groups) : dayBars(groups, grain, today),
    series: seriesOf(groups, show),
  };
}

function dayBars(groups, grain, today) {
  return groups.map((group) => {
    const { from, to } = group;
    const partial = to === today;
    const long = partial ? fill(gettext("%(days)s, so far"), { days: longName(group) }) : longName(group);
    return { from, to, partial, short: shortName(group, grain), long };
  });
}

/** The hours of a day lead to nothing. */
const hourBars = (day, hours) => hours.map(({ name }) => (
  { short: `${name}:00`, long: fill(gettext("%(day)s, %(hour)s:00 to %(hour)s:59"), { day, hour: name }) }
));

/** Series of `{name, values, format, colour}`, where `colour(named)` may ask for one of the page's colours. */
function seriesOf(groups, show) {
  if (show === "calls") return [series(gettext("Calls"), groups.map(({ calls }) => calls), whole, "accent")];
  if (show === "free") {
    return [
      series(gettext("Billed calls"), groups.map(({ calls, free }) => calls - free), whole, "accent"),
      series(gettext("Free calls"), groups.map(({ free }) => free), whole, "free"),
    ];
  }
  // Of hours the models are not known.
  if (!groups[0]?.models) return [series(gettext("Credits"), groups.map((group) => group.credits), credits, "accent")];
  return modelSeries(groups);
}

function series(name, values, format, colour) {
  return { name, values, format, colour: (named) => named(colour) };
}

/** The nine biggest of what is shown and the others, biggest first, the others last. */
function modelSeries(groups) {
  const sums = new Map();
  const add = (map, name, spent) => map.set(name, (map.get(name) ?? 0) + spent);
  const split = groups.map(({ models }) => {
    const own = new Map();
    for (const [model, spent] of models) {
      const name = isBig(model) ? model : OTHER;
      add(own, name, spent);
      add(sums, name, spent);
    }
    return own;
  });
  const rank = (name) => (name === OTHER ? -1 : sums.get(name));
  const names = [...sums.keys()].sort((one, other) => rank(other) - rank(one));
  return names.map((name) => (
    { name: modelName(name), values: split.map((own) => own.get(name) ?? 0), format: credits, colour: () => colourOf(name) }
  ));
}

function modelName(name) {
  if (name === OTHER) return gettext("Other models");
  return name || gettext("no model");
}
