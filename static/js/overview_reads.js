// What the overview asks for. The first reads begin as soon as this module is there, before the page is: the server
// answers while the browser still lays out.

import { get } from "archive/api";
import { yearUntil } from "archive/days";
import { queryOf, readState, spanOf } from "archive/filters";
import { loadNames } from "archive/models";

const TOP = 10;
const { today: firstDay } = document.documentElement.dataset;
let first = firstDay ? begun(readState(), firstDay) : null;

/** The reads for filters, as promises by name; those that began first where they are the same. */
export function readsFor(state, today, signal) {
  const early = first;
  first = null;
  const reads = early?.key === keyOf(state, today) ? early : begun(state, today);
  if (reads !== early) early?.controller.abort();
  signal.addEventListener("abort", () => reads.controller.abort());
  return reads.answers;
}

function keyOf(state, today) {
  return `${today} ${queryOf(state, {})}`;
}

function begun(state, today) {
  const controller = new AbortController();
  const answers = answersFor(state, spanOf(state, today), today, controller.signal);
  // Whoever shows them tells what failed; until then nobody listens.
  for (const answer of Object.values(answers)) answer.catch(() => {});
  return { key: keyOf(state, today), controller, answers };
}

function answersFor({ model, client }, span, today, signal) {
  const named = { ...(model && { model }), ...(client && { client }) };
  const asked = { ...span, ...named };
  const summary = get("/api/summary", asked, signal);
  return {
    summary,
    // Where that cannot be told, each part tells what it knows.
    hasCalls: summary.then(({ calls }) => calls > 0, () => true),
    daily: get("/api/daily", { ...withYear(span, today), ...named }, signal),
    dims: get("/api/dims", asked, signal),
    top: get("/api/top", { ...asked, n: TOP }, signal),
    names: loadNames(today),
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
