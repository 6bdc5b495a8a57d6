import assert from "node:assert/strict";
import { test } from "node:test";
import { monthSoFar } from "../../static/js/charts/month_forecast.js";
import { dayFrom } from "../../static/js/shared/formats.js";

const TODAY = "2026-03-10";
/** Days before today, the newest first, each with credits. */
const archive = (count, credits) => Array.from({ length: count }, (_, back) => ({ d: dayFrom(TODAY, -1 - back), c: credits(back) }));

test("both months are running sums, the present one until today", () => {
  const month = monthSoFar([{ d: "2026-02-01", c: 4 }, { d: "2026-02-28", c: 1 }, { d: "2026-03-02", c: 2 }, { d: TODAY, c: 3 }], TODAY, "2026-02-01");
  assert.deepEqual(month.now, [0, 2, 2, 2, 2, 2, 2, 2, 2, 5]);
  assert.deepEqual([month.then.length, month.then[0], month.then.at(-1)], [28, 4, 5]);
  assert.deepEqual([month.start, month.before, month.end], ["2026-03-01", "2026-02-01", "2026-03-31"]);
});

test("days that are all alike leave no doubt where the month ends", () => {
  const { forecast } = monthSoFar(archive(40, () => 2), TODAY, "2026-01-01");
  assert.deepEqual(forecast, { expected: 62, least: 62, most: 62 });
});

test("each weekday is like itself, and the more days vary the wider is the range", () => {
  const free = ({ d }) => [0, 6].includes(new Date(`${d}T00:00:00Z`).getUTCDay());
  const days = archive(40, () => 10).map((day) => ({ ...day, c: free(day) ? 0 : 10 }));
  // March 2026 has 22 working days.
  assert.equal(monthSoFar(days, TODAY, "2026-01-01").forecast.expected, 220);
  const { least, most, expected } = monthSoFar(archive(40, (back) => back % 5), TODAY, "2026-01-01").forecast;
  assert.ok(least < expected && expected < most && least > 0);
});

test("a month never ends below what it has already", () => {
  const { forecast, now } = monthSoFar(archive(40, (back) => (back === 3 ? 500 : 0)), TODAY, "2026-01-01");
  assert.equal(forecast.least, now.at(-1));
});

test("less than two weeks of archived days are no basis", () => {
  assert.equal(monthSoFar(archive(40, () => 2), TODAY, dayFrom(TODAY, -13)).forecast, null);
  assert.notEqual(monthSoFar(archive(40, () => 2), TODAY, dayFrom(TODAY, -14)).forecast, null);
});

test("without calls in both months there is nothing to show", () => {
  assert.equal(monthSoFar([], TODAY, "2026-01-01"), null);
  assert.equal(monthSoFar([{ d: "2026-01-31", c: 9 }], TODAY, "2026-01-01"), null);
});

test("days that are not archived are no days without calls, neither in the sums nor for the forecast", () => {
  const isUnknown = (day) => day >= "2026-03-02" && day <= "2026-03-04";
  const days = archive(40, () => 2).filter(({ d }) => !isUnknown(d));
  const { unknown, forecast } = monthSoFar(days, TODAY, "2026-01-01", isUnknown);
  assert.deepEqual(unknown.now.map(Number), [0, 1, 1, 1, 0, 0, 0, 0, 0, 0]);
  assert.equal(unknown.then.some(Boolean), false);
  // The 31 days without those three, at 2 each.
  assert.equal(forecast.expected, 56);
});
