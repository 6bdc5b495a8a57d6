import assert from "node:assert/strict";
import { test } from "node:test";
import { stepped } from "../../static/js/shared/period_steps.js";

const CALENDAR = {
  today: "2026-03-18",
  periods: {
    today: { from: "2026-03-18", to: "2026-03-18" }, yesterday: { from: "2026-03-17", to: "2026-03-17" },
    7: { from: "2026-03-12", to: "2026-03-18" }, month: { from: "2026-03-01", to: "2026-03-18" },
    "last-month": { from: "2026-02-01", to: "2026-02-28" }, all: {},
  },
};
const step = (from, to, by, first) => stepped({ from, to }, by, CALENDAR, first);
const named = (period) => ({ period, from: "", to: "" });
const custom = (from, to) => ({ period: "custom", from, to });

test("a day leads to the day beside it, by name where it has one", () => {
  assert.deepEqual(step("2026-03-18", "2026-03-18", -1), named("yesterday"));
  assert.deepEqual(step("2026-03-17", "2026-03-17", -1), custom("2026-03-16", "2026-03-16"));
  assert.deepEqual(step("2026-03-17", "2026-03-17", 1), named("today"));
});

test("days lead to as many days, which end today at the latest", () => {
  assert.deepEqual(step("2026-03-12", "2026-03-18", -1), custom("2026-03-05", "2026-03-11"));
  assert.deepEqual(step("2026-03-05", "2026-03-11", 1), named("7"));
  assert.deepEqual(step("2026-03-08", "2026-03-14", 1), named("7"));
});

test("a month leads to a month of its own length", () => {
  assert.deepEqual(step("2026-03-01", "2026-03-18", -1), named("last-month"));
  assert.deepEqual(step("2026-02-01", "2026-02-28", -1), custom("2026-01-01", "2026-01-31"));
  assert.deepEqual(step("2026-01-01", "2026-01-31", 1), named("last-month"));
  assert.deepEqual(step("2026-02-01", "2026-02-28", 1), named("month"));
  assert.deepEqual(step("2025-12-01", "2025-12-31", 1), custom("2026-01-01", "2026-01-31"));
});

test("on the first of a month, the month leads to the last one, and back", () => {
  const first = { from: "2026-03-01", to: "2026-03-01" };
  const calendar = {
    today: first.from,
    periods: { today: first, yesterday: { from: "2026-02-28", to: "2026-02-28" }, month: first, "last-month": { from: "2026-02-01", to: "2026-02-28" } },
  };
  assert.deepEqual(stepped(first, -1, calendar, "", "month"), named("last-month"));
  assert.deepEqual(stepped(first, -1, calendar, "", "today"), named("yesterday"));
  assert.deepEqual(stepped(calendar.periods["last-month"], 1, calendar, "", "last-month"), named("month"));
  assert.deepEqual(stepped(calendar.periods.yesterday, 1, calendar, "", "yesterday"), named("today"));
});

test("nothing lies after today, before the archive, or beside open spans", () => {
  assert.equal(step("2026-03-12", "2026-03-18", 1), null);
  assert.equal(step("2026-03-01", "2026-03-18", 1), null);
  assert.equal(step("2026-03-12", "2026-03-18", -1, "2026-03-12"), null);
  assert.deepEqual(step("2026-03-12", "2026-03-18", -1, "2026-03-11"), custom("2026-03-05", "2026-03-11"));
  assert.equal(step("2000-01-03", "2000-01-09", -1), null);
  assert.equal(step(undefined, "2026-03-18", -1), null);
  assert.equal(step("2026-03-01", undefined, 1), null);
});
