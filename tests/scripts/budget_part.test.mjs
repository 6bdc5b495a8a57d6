import assert from "node:assert/strict";
import { test } from "node:test";
import { daysShown } from "../../static/js/charts/day_series.js";
import { dayBudget, namesOf, wordsOf } from "../../static/js/pages/overview/budget_part.js";

const BUDGET = { period: "week", left: 3, ends_at: "2026-09-20 23:59:59", runs_out_at: null };
const ALL = { model: "", client: "", purpose: "" };

test("words say what is left, and until when", () => {
  assert.equal(wordsOf(BUDGET), "3.00 left until 2026-09-20.");
  assert.equal(wordsOf({ ...BUDGET, period: "day" }), "3.00 left today.");
});

test("words say when the rest will be used up", () => {
  assert.equal(wordsOf({ ...BUDGET, runs_out_at: "2026-09-18 16:00:00" }), "3.00 left until 2026-09-20. At this pace used up on 2026-09-18 16:00.");
});

test("words say when it was used up, and how much is over", () => {
  const spent = { ...BUDGET, left: -1.5, runs_out_at: "2026-09-16 10:00:00" };
  assert.equal(wordsOf(spent), "Used up on 2026-09-16 10:00; 1.50 credits over.");
  assert.equal(wordsOf({ ...spent, left: 0 }), "Used up on 2026-09-16 10:00.");
});

const MONTH = { period: "month", model: "", client: "", first_day: 1, credits: 100, left: 40, ends_at: "2026-09-30 23:59:59", runs_out_at: null };
const forecast = (low, high) => ({ month: "2026-09", so_far: 60, low, middle: null, high, method: "weekdays" });

test("a month is compared with its forecast", () => {
  const words = (low, high, budget = MONTH) => wordsOf(budget, forecast(low, high));
  assert.equal(words(80, 100), "40.00 left until 2026-09-30. The month will end at 80 to 100 credits, within the budget.");
  assert.equal(words(80, 100.5), "40.00 left until 2026-09-30. The month will end at 80 to 101 credits; the budget may not last.");
  assert.equal(words(100.5, 120), "40.00 left until 2026-09-30. The month will end at 101 to 120 credits, above the budget.");
  assert.equal(words(110, 120, { ...MONTH, left: 0, runs_out_at: "2026-09-16 10:00:00" }), "Used up on 2026-09-16 10:00. The month will end at 110 to 120 credits, above the budget.");
});

test("no other budget is compared with the forecast of all calls, and none without one", () => {
  for (const other of [{ period: "week" }, { period: "day" }, { model: "glm" }, { client: "ide" }, { first_day: 15 }]) {
    assert.doesNotMatch(wordsOf({ ...MONTH, ...other }, forecast(80, 90)), /will end/);
  }
  assert.equal(wordsOf(MONTH, null), "40.00 left until 2026-09-30.");
  assert.equal(wordsOf(MONTH, { ...forecast(null, null), method: "none" }), "40.00 left until 2026-09-30.");
});

test("budgets of the same name are told apart", () => {
  assert.deepEqual(namesOf([MONTH, { ...MONTH, credits: 50 }, { ...MONTH, model: "glm" }]), ["This month · 100.00 credits", "This month · 50.00 credits", "This month · glm"]);
  assert.deepEqual(namesOf([MONTH, MONTH, { ...MONTH, period: "week" }]), ["This month · 100.00 credits (1)", "This month · 100.00 credits (2)", "This week"]);
});

test("the budget of a day is that of exactly the calls that are shown, the least of several", () => {
  const items = [
    { period: "day", model: "", client: "", credits: 9 }, { period: "day", model: "", client: "", credits: 5 },
    { period: "day", model: "glm", client: "", credits: 2 }, { period: "week", model: "", client: "", credits: 1 },
  ];
  assert.equal(dayBudget(items, ALL), 5);
  assert.equal(dayBudget(items, { ...ALL, model: "glm" }), 2);
  assert.equal(dayBudget(items, { ...ALL, client: "ide" }), undefined);
  assert.equal(dayBudget(items, { ...ALL, purpose: "chat" }), undefined);
  assert.equal(dayBudget(items, { ...ALL, model: "glm\0kimi" }), undefined);
  assert.equal(dayBudget([], ALL), undefined);
});

const DAYS = [{ d: "2026-03-02", c: 4, k: 1, fc: 0, bc: 1, m: { a: 4 }, h: [] }, { d: "2026-03-03", c: 6, k: 1, fc: 0, bc: 1, m: { a: 6 }, h: [] }];

/** What the bars of two days show with these options. */
const shown = (options) => daysShown({ daily: { days: DAYS }, dims: { hour: [] } }, { from: "2026-03-02", to: "2026-03-03", today: "2026-03-09", show: "credits", model: "", limit: 5, ...options });

test("the bars of credits by day have a line at the budget", () => {
  assert.deepEqual(shown({}).limit, { value: 5, name: "Budget of a day: 5.00" });
  assert.equal(shown({ show: "calls" }).limit, undefined);
  assert.equal(shown({ by: "week", from: "2026-01-01" }).limit, undefined);
  assert.equal(shown({ limit: undefined }).limit, undefined);
});

test("a budget far above the bars would make them flat, and is left out", () => {
  assert.equal(shown({ limit: 18 }).limit.value, 18);
  assert.equal(shown({ limit: 18.1 }).limit, undefined);
});
