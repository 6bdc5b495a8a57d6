// "Fetch these days": asks for the days that a strip offers, and starts a collection of them.

import { collect } from "./collect_button.js";
import { daysDialog } from "./days_dialog.js";
import { whole } from "./formats.js";
import { fill, gettext, ngettext, sentences } from "./i18n.js";
import { knownStatus } from "./status_polling.js";
import { lengthOf } from "../charts/day_groups.js";
import { lackingIn } from "../charts/ledger_days.js";

const USUAL_MOST = 31;
// The collection reports in the frame, as after a click on Collect.
const dialog = daysDialog("fetch", (span) => { collect(span); }, complaint);

/**
 * Offers to fetch the days that lack calls or prompts, as many as one collection may span.
 * @param {CoverageDay[]} days
 */
export function openFetching(days) {
  const lacking = lackingIn(days, most());
  if (lacking) dialog.open(lacking, lackingWords(lacking));
}

/** @param {{count: number, left: number}} lacking */
function lackingWords({ count, left }) {
  const words = fill(ngettext("%(count)s day is not complete.", "%(count)s days are not complete.", count), { count: whole(count) });
  if (!left) return words;
  const further = ngettext("%(count)s more day follows: a collection may span at most %(most)s days.", "%(count)s more days follow: a collection may span at most %(most)s days.", left);
  return sentences([words, fill(further, { count: whole(left), most: whole(most()) })]);
}

/** @param {Required<Span>} span */
function complaint({ from, to }) {
  return lengthOf(from, to) > most() ? fill(gettext("A collection may span at most %(most)s days."), { most: whole(most()) }) : "";
}

const most = () => knownStatus()?.limits.collect_max_range_days ?? USUAL_MOST;
