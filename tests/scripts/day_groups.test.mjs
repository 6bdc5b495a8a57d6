import assert from "node:assert/strict";
import { test } from "node:test";
import { endsOf, grainOf, groupsOf, lengthOf, longName, shortName, startOf, untilToday, weekOf, weekdayOf } from "../../static/js/charts/day_groups.js";

/** A day as /api/daily answers it, with all its credits in one hour. */
const aDay = (d, c, hour = 0) => ({ d, c, k: 2, fc: 1, bc: 1, m: { m: c }, h: Array.from({ length: 24 }, (_, one) => (one === hour ? c : 0)) });
// 2026-01-01 is a Thursday.
const DAYS = [aDay("2025-12-31", 9), aDay("2026-01-01", 1), aDay("2026-01-04", 2), aDay("2026-01-05", 4)];

test("days are counted with the first and the last one", () => {
  assert.equal(lengthOf("2026-01-01", "2026-01-01"), 1);
  assert.equal(lengthOf("2024-02-28", "2024-03-01"), 3);
});

test("a week begins with Monday", () => {
  assert.deepEqual(["2026-01-05", "2026-01-04"].map(weekdayOf), [0, 6]);
  assert.deepEqual(["day", "week", "month"].map((grain) => startOf("2026-01-31", grain)), ["2026-01-31", "2026-01-26", "2026-01-01"]);
});

test("many days are shown by weeks, very many by months", () => {
  assert.deepEqual(["2026-04-30", "2026-05-01", "2028-01-01", "2028-01-02"].map((to) => grainOf("2026-01-01", to)), ["day", "week", "week", "month"]);
});

test("the first week and the last are cut to the span, and what lies outside does not count", () => {
  const { grain, groups } = groupsOf(DAYS, "2026-01-01", "2026-06-02");
  assert.equal(grain, "week");
  assert.deepEqual(groups.slice(0, 2).map(({ from, to }) => [from, to]), [["2026-01-01", "2026-01-04"], ["2026-01-05", "2026-01-11"]]);
  const { credits, calls, free, models } = groups[0];
  assert.deepEqual([credits, calls, free, [...models]], [3, 4, 2, [["m", 3]]]);
  assert.deepEqual([groups.length, groups.at(-1).to], [23, "2026-06-02"]);
});

test("the first month is cut to the span", () => {
  const { groups } = groupsOf(DAYS, "2024-01-15", "2026-06-02");
  assert.deepEqual([groups.length, groups[0].from, groups[0].to, groups.at(-2).to], [30, "2024-01-15", "2024-01-31", "2026-05-31"]);
});

test("an hour of a weekday is the mean of such days, with and without calls", () => {
  const week = weekOf([aDay("2026-01-01", 3, 5)], "2026-01-01", "2026-01-08");
  assert.equal(week[3].count, 2);
  assert.deepEqual(week[3].hours, Array.from({ length: 24 }, (_, hour) => (hour === 5 ? 1.5 : 0)));
  assert.equal(week[4].count, 1);
});

test("a day that is not archived does not count as one without calls", () => {
  const week = weekOf([aDay("2026-01-01", 3, 5)], "2026-01-01", "2026-01-08", (day) => (day === "2026-01-08" ? "unasked" : null));
  assert.deepEqual([week[3].count, week[3].hours[5], week[3].unknown], [1, 3, null]);
});

test("a weekday with no archived day is unknown, one that is not in the span is not", () => {
  const week = weekOf([], "2026-01-01", "2026-01-02", (day) => (day === "2026-01-02" ? "unasked" : null));
  assert.deepEqual(week.map(({ count, unknown }) => [count, unknown]).slice(3), [[1, null], [0, "unasked"], [0, null], [0, null]]);
});

test("days to come do not count, but a span of them alone stays", () => {
  assert.deepEqual(untilToday({ from: "2026-01-01", to: "2026-02-01" }, "2026-01-15"), { from: "2026-01-01", to: "2026-01-15" });
  assert.deepEqual(untilToday({ from: "2026-01-20", to: "2026-02-01" }, "2026-01-15"), { from: "2026-01-20", to: "2026-02-01" });
  assert.deepEqual(untilToday({}, "2026-01-15"), {});
});

test("an open bound is as far as the days reach", () => {
  assert.deepEqual(endsOf({}, DAYS, "2026-03-01"), ["2025-12-31", "2026-01-05"]);
  assert.deepEqual(endsOf({ from: "2026-02-01" }, DAYS, "2026-03-01"), ["2026-02-01", "2026-02-01"]);
  assert.deepEqual(endsOf({}, [], "2026-03-01"), ["2026-03-01", "2026-03-01"]);
});

test("a group is named by its day, or by its first and last one", () => {
  assert.equal(longName({ from: "2026-01-05", to: "2026-01-05" }), "Mon 2026-01-05");
  assert.equal(longName({ from: "2026-01-05", to: "2026-01-11" }), "2026-01-05 to 2026-01-11");
  assert.deepEqual([shortName({ from: "2026-01-05" }, "week"), shortName({ from: "2026-01-05" }, "month")], ["Jan 5", "Jan 2026"]);
});
