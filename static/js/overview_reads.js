// What the overview asks for. The page names the first of these reads itself (usage/first_reads.py), so that they are under
// way before any script is: a change here wants one there.

import { get } from "archive/api";
import { yearUntil } from "archive/days";
import { namesOf } from "archive/filters";
import { loadNames, showModels } from "archive/models";

const TOP = 10;

/** The reads for filters, as promises by name. */
export function readsFor(state, span, today, signal) {
  const named = namesOf(state);
  const asked = { ...span, ...named };
  const summary = get("/api/summary", asked, signal);
  const dims = get("/api/dims", asked, signal);
  return {
    summary,
    // Where that cannot be told, each part tells what it knows.
    hasCalls: summary.then(({ calls }) => calls > 0, () => true),
    daily: get("/api/daily", { ...withYear(span, today), ...named }, signal),
    dims,
    top: get("/api/top", { ...asked, n: TOP }, signal),
    // With the names come the colours of what is shown; where those cannot be told, the usual ones stay.
    names: loadNames(today).then(() => dims.then(({ model: models }) => showModels(models), () => {})),
  };
}

/** The days of the period and of the calendar in one read, which most periods then share. */
function withYear(span, today) {
  const calendar = yearUntil(today);
  return {
    ...(span.from && { from: span.from < calendar.from ? span.from : calendar.from }),
    ...(span.to && { to: span.to > calendar.to ? span.to : calendar.to }),
  };
}
