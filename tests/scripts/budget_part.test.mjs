import assert from "node:assert/strict";
import { test } from "node:test";
import { daysShown } from "../../static/js/charts/day_series.js";
import { dayBudget, wordsOf } from "../../static/js/pages/overview/budget_part.js";

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
