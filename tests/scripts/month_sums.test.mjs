import assert from "node:assert/strict";
import { test } from "node:test";
import { monthSoFar, shownRange } from "../../static/js/charts/month_sums.js";
import { dayFrom } from "../../static/js/shared/formats.js";

const TODAY = "2026-03-10";
const FORECAST = { month: "2026-03", so_far: 5, low: 8, middle: 9, high: 12, method: "weekdays" };

test("both months are running sums, the present one until today", () => {
  const month = monthSoFar([{ d: "2026-02-01", c: 4 }, { d: "2026-02-28", c: 1 }, { d: "2026-03-02", c: 2 }, { d: TODAY, c: 3 }], TODAY, null);
  assert.deepEqual(month.now, [0, 2, 2, 2, 2, 2, 2, 2, 2, 5]);
  assert.deepEqual([month.then.length, month.then[0], month.then.at(-1)], [28, 4, 5]);
  assert.deepEqual([month.start, month.before, month.end], ["2026-03-01", "2026-02-01", "2026-03-31"]);
});

test("the forecast is that of the server", () => {
  const days = [{ d: TODAY, c: 5 }];
  assert.deepEqual(monthSoFar(days, TODAY, FORECAST).forecast, { expected: 9, least: 8, most: 12 });
  assert.equal(monthSoFar(days, TODAY, { ...FORECAST, low: null, middle: null, high: null, method: "none" }).forecast, null);
  assert.equal(monthSoFar(days, TODAY, null).forecast, null);
});

test("a forecast of another month is left out: midnight was between the answers", () => {
  assert.equal(monthSoFar([{ d: TODAY, c: 5 }], TODAY, { ...FORECAST, month: "2026-02" }).forecast, null);
});

test("without calls in both months there is nothing to show", () => {
  assert.equal(monthSoFar([], TODAY, FORECAST), null);
  assert.equal(monthSoFar([{ d: "2026-01-31", c: 9 }], TODAY, FORECAST), null);
});

test("days that are not archived are no days without calls", () => {
  const isUnknown = (day) => day >= "2026-03-02" && day <= "2026-03-04";
  const days = Array.from({ length: 40 }, (_, back) => ({ d: dayFrom(TODAY, -1 - back), c: 2 })).filter(({ d }) => !isUnknown(d));
  const { unknown } = monthSoFar(days, TODAY, null, isUnknown);
  assert.deepEqual(unknown.now.map(Number), [0, 1, 1, 1, 0, 0, 0, 0, 0, 0]);
  assert.equal(unknown.then.some(Boolean), false);
});

test("a range is told with three digits, and does not end below what is spent", () => {
  assert.deepEqual(shownRange({ least: 5281.4, most: 5559.5 }, 4410), { least: 5280, most: 5560 });
  assert.deepEqual(shownRange({ least: 5284.2, most: 5284.9 }, 5283.5), { least: 5284, most: 5284 });
  assert.deepEqual(shownRange({ least: 0.4, most: 1.6 }, 0), { least: 0, most: 2 });
});
