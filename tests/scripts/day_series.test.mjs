import assert from "node:assert/strict";
import { test } from "node:test";
import { daysShown } from "../../static/js/charts/day_series.js";
import { Ledger } from "../../static/js/charts/ledger_days.js";

const DAY = { d: "2026-03-01", c: 6, k: 4, fc: 1, bc: 3, m: { a: 4, b: 2 }, h: Array(24).fill(0.25) };
const HOUR = { name: "09", credits: 6, calls: 4, avg: 1.5, free: 1 };
const GIVEN = { daily: { days: [DAY] }, dims: { hour: [HOUR], model: [], client: [] } };
const ASKED = { from: "2026-02-28", to: "2026-03-01", today: "2026-03-01", show: "credits", model: "" };

const shown = (changes) => daysShown(GIVEN, { ...ASKED, ...changes });
const figures = ({ series }) => series.map(({ name, values }) => [name, values]);

test("credits stand under the models, with days without calls as nothing", () => {
  // No model has a colour of its own before the names are read.
  assert.deepEqual(figures(shown()), [["Other models", [0, 6]]]);
});

test("calls are all models together, and the page says so", () => {
  assert.deepEqual(figures(shown({ show: "calls" })), [["Calls", [0, 4]]]);
  assert.match(shown({ show: "calls" }).note, /^Calls of all models together\./);
  assert.doesNotMatch(shown({ show: "calls", model: "a" }).note, /together/);
});

test("free and billed calls add up to the calls", () => {
  assert.deepEqual(figures(shown({ show: "free" })), [["Billed calls", [0, 3]], ["Free calls", [0, 1]]]);
});

test("a bar of calls without a known amount has none, and says so", () => {
  const daily = { days: [{ ...DAY, c: 0, fc: 1, bc: 0, amount: null, without_amount: 4 }, { ...DAY, d: "2026-02-28", without_amount: 1 }] };
  const { bars } = daysShown({ ...GIVEN, daily }, ASKED);
  assert.deepEqual(bars.map(({ isUnpriced }) => Boolean(isUnpriced)), [false, true]);
  assert.match(bars[1].long, /4 calls of unknown amount/);
  const { bars: counted } = daysShown({ ...GIVEN, daily }, { ...ASKED, show: "calls" });
  assert.ok(counted.every(({ isUnpriced }) => !isUnpriced));
});

test("calls of unknown amount are neither free nor billed", () => {
  const daily = { days: [{ ...DAY, fc: 1, without_amount: 2 }] };
  const { series } = daysShown({ ...GIVEN, daily }, { ...ASKED, show: "free" });
  assert.deepEqual(figures({ series }), [["Billed calls", [0, 1]], ["Free calls", [0, 1]]]);
});

test("tokens stand by their kinds, with the share of the input that was cached", () => {
  const daily = { days: [{ ...DAY, tokens: { in: 10, out: 5, cache_read: 30, cache_write: 0 } }, { ...DAY, d: "2026-02-28", tokens: null }] };
  const found = daysShown({ ...GIVEN, daily }, { ...ASKED, show: "tokens" });
  assert.deepEqual(figures(found), [["Cache read", [0, 30]], ["New input", [0, 10]], ["Output", [0, 5]]]);
  assert.match(found.note, /^75\.0% of the input came from the cache\./);
  // A single day has no hours of them.
  assert.deepEqual(figures(daysShown({ ...GIVEN, daily }, { ...ASKED, from: "2026-03-01", show: "tokens" })), [["Cache read", [30]], ["New input", [10]], ["Output", [5]]]);
});

test("the bar that holds today is not whole yet", () => {
  assert.deepEqual(shown().bars.map(({ partial }) => partial), [false, true]);
  assert.match(shown().note, /today is not over yet/);
});

test("a bar with known and unknown days is not unknown, and has the state of those that are", () => {
  const ledger = new Ledger({ days: [{ d: "2026-02-27", state: "unasked", here: 0 }, { d: "2026-02-28", state: "checked", here: 0 }] });
  const bars = (from) => shown({ from, by: "month", ledger }).bars.map(({ unknown, lacking }) => [unknown, lacking]);
  assert.deepEqual(bars("2026-02-27"), [[null, "unasked"], [null, null]]);
  assert.deepEqual(bars("2026-02-28"), [[null, null], [null, null]]);
});

test("a single day is shown by its hours; one with calls leads to them", () => {
  const { title, bars, series } = shown({ from: "2026-03-01" });
  assert.equal(title, "Hours");
  assert.deepEqual(bars, [{ hour: "09", partial: false, short: "09:00", long: "2026-03-01, 09:00 to 09:59" }]);
  assert.deepEqual(series.map(({ values }) => values), [[6]]);
});

test("today's bars end with the hour that is not over, and its bar is the paler one", () => {
  const hours = ["08", "09", "10"].map((name) => ({ ...HOUR, name }));
  const today = (now) => daysShown({ ...GIVEN, dims: { ...GIVEN.dims, hour: hours } }, { ...ASKED, from: "2026-03-01", now });
  assert.deepEqual(today("09:15").bars.map(({ partial }) => partial), [false, true, false]);
  assert.match(today("09:15").note, /this hour is not over yet/);
  // The small lines end there, too.
  assert.deepEqual([today("09:15").groups.length, today("09:15").isOpen], [2, true]);
  assert.doesNotMatch(today("23:15").note, /not over/);
});

test("a bar that is not there is not called paler", () => {
  assert.doesNotMatch(shown({ to: "2026-03-02", today: "2026-03-02" }).note, /paler/);
});

test("days, weeks and months are a choice, as far as there is room for the bars", () => {
  assert.equal(shown({ from: "2026-02-02", by: "week" }).bars.length, 4);
  assert.equal(shown({ from: "2025-04-01", by: "month" }).title, "Months");
  assert.equal(shown({ from: "2025-04-01", by: "day" }).bars.length, 335);
  // The note says why days were put together only where nobody chose it.
  assert.doesNotMatch(shown({ from: "2025-04-01", by: "week" }).note, /More than/);
  assert.match(shown({ from: "2020-04-01", by: "day" }).note, /each bar is one month/);
  assert.match(shown({ from: "2025-04-01", by: "hour" }).note, /each bar is one week/);
});
