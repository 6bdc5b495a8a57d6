import assert from "node:assert/strict";
import { test } from "node:test";
import { groupsOf } from "../../static/js/charts/day_groups.js";
import { lineOfDays, lineOfHours } from "../../static/js/charts/earlier_line.js";

const TOTALS = { credits: 1, calls: 1, free: 0, avgPerCall: 1 };
const DAYS = [{ d: "2026-02-01", c: 5, k: 2, fc: 1 }, { d: "2026-02-03", c: 7, k: 3, fc: 0 }];

const compared = (from, to, changes) => ({ window: { from, to, days: 3 }, until: null, totals: TOTALS, days: DAYS, ...changes });
const line = (from, to, comparison, ...others) => lineOfDays(comparison, groupsOf([], from, to).groups, ...others)?.values;

test("each bar has the value of the day as far from the first one", () => {
  const comparison = compared("2026-02-01", "2026-02-03");
  assert.deepEqual(line("2026-03-01", "2026-03-03", comparison, "credits"), [5, 0, 7]);
  assert.deepEqual(line("2026-03-01", "2026-03-03", comparison, "free"), [2, 0, 3]);
});

test("a shorter period ends before the bars do, and nothing is known before the archive", () => {
  assert.deepEqual(line("2026-03-01", "2026-03-05", compared("2026-02-01", "2026-02-03"), "credits"), [5, 0, 7, null, null]);
  assert.deepEqual(line("2026-03-01", "2026-03-03", compared("2026-02-01", "2026-02-03"), "credits", "2026-02-02"), [null, 0, 7]);
});

test("the line has a gap where no day is archived, which is not nothing", () => {
  const ledger = { unknownWithin: ({ from, to }) => ({ all: from === "2026-02-02" && to === from }) };
  assert.deepEqual(line("2026-03-01", "2026-03-03", compared("2026-02-01", "2026-02-03"), "credits", "", ledger), [5, null, 7]);
});

test("a bar of several days has the sum of as many", () => {
  const { groups } = groupsOf([], "2026-03-02", "2026-03-15", "week");
  assert.deepEqual(lineOfDays(compared("2026-02-01", "2026-02-14"), groups, "calls").values, [5, 0]);
});

test("without earlier calls there is no line", () => {
  assert.equal(line("2026-03-01", "2026-03-03", undefined, "credits"), undefined);
  assert.equal(line("2026-03-01", "2026-03-03", compared("2026-02-01", "2026-02-03", { totals: { ...TOTALS, calls: 0 } }), "credits"), undefined);
});

test("the hours of a day that ends early end with it", () => {
  const hours = ["00", "01", "02"].map((name) => ({ name, credits: 0, calls: 0, avg: 0, free: 0 }));
  const hour = Object.fromEntries(hours.map((item) => [item.name, { ...item, credits: 2, calls: 4 }]));
  const comparison = { window: { from: "2026-02-01", to: "2026-02-01", days: 1 }, until: "01:30", totals: TOTALS, items: { hour } };
  assert.deepEqual(lineOfHours(comparison, hours, "credits").values, [2, 2, null]);
  assert.equal(lineOfHours({ ...comparison, window: { ...comparison.window, days: 2 } }, hours, "credits"), undefined);
});
