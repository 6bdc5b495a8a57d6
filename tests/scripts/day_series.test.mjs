import assert from "node:assert/strict";
import { test } from "node:test";
import { daysShown } from "../../static/js/charts/day_series.js";

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

test("the bar that holds today is not whole yet", () => {
  assert.deepEqual(shown().bars.map(({ partial }) => partial), [false, true]);
  assert.match(shown().note, /today is not over yet/);
});

test("a single day is shown by its hours, which lead to nothing", () => {
  const { title, bars, series } = shown({ from: "2026-03-01" });
  assert.equal(title, "Hours");
  assert.deepEqual(bars, [{ short: "09:00", long: "2026-03-01, 09:00 to 09:59" }]);
  assert.deepEqual(series.map(({ values }) => values), [[6]]);
});
