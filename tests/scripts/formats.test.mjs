import assert from "node:assert/strict";
import { test } from "node:test";
import * as formats from "../../static/js/shared/formats.js";

test("credits have two decimals, and a little never reads as nothing", () => {
  assert.deepEqual([0, 0.001, 0.5, 1234.567, null].map(formats.credits), ["0.00", "< 0.01", "0.50", "1,234.57", "–"]);
});

test("a share of nothing is none", () => {
  assert.deepEqual([formats.share(1, 3), formats.share(0, 3), formats.share(0, 0)], ["33.3%", "0.0%", "–"]);
});

test("a change has an arrow and words", () => {
  assert.deepEqual([1123.4, 950, 1000.1].map((now) => formats.change(1000, now)), ["▲ 12.3% more", "▼ 5.0% less", "unchanged"]);
  assert.deepEqual([1123, 950, 1000].map((now) => formats.change(1000, now, true)), ["▲ 12.3% more", "▼ 5.0% fewer", "unchanged"]);
  assert.deepEqual([0, 5].map((now) => formats.change(0, now)), [null, null]);
});

test("a column of changes has one decimal in each row", () => {
  assert.deepEqual([1123.4, 950, 12620, 1000.1].map((now) => formats.shortChange(1000, now)), ["▲ 12.3%", "▼ 5.0%", "▲ 1,162.0%", "="]);
  assert.equal(formats.shortChange(0, 5), null);
});

test("a change of a share is in points", () => {
  assert.deepEqual([623, 480, 500.1].map((part) => formats.points({ part: 50, of: 100 }, { part, of: 1000 })), ["▲ 12.3 points more", "▼ 2.0 points less", "unchanged"]);
  assert.deepEqual([formats.points({ part: 0, of: 0 }, { part: 1, of: 2 }), formats.points({ part: 1, of: 2 }, { part: 0, of: 0 })], [null, null]);
});

test("a change is rounded once, from the exact sums", () => {
  // 0.1467 %, which two decimals would make 0.15 and one decimal of that 0.2.
  assert.equal(formats.change(5411.88, 5419.82), "▲ 0.1% more");
  assert.equal(formats.change(5411.88, 5403.94), "▼ 0.1% less");
  // 7.1449 points of a share.
  assert.equal(formats.points({ part: 0, of: 1 }, { part: 71449, of: 1000000 }), "▲ 7.1 points more");
});

test("a half is rounded away from zero, also where its number is not exact", () => {
  assert.deepEqual([2003, 1997, 2001, 1999].map((now) => formats.percentChange(2000, now)), [0.2, -0.2, 0.1, -0.1]);
  assert.equal(formats.percentChange(0.3, 0.300449), 0.1);
  assert.equal(formats.percentChange(1e9, 1e9 + 499999.999999), 0);
});

test("how long ago something was is told in the largest unit that fits", () => {
  const ago = (time) => formats.ago(time, "2026-03-03 12:00:00");
  assert.deepEqual(
    ["2026-03-03 12:00:30", "2026-03-03 11:59:01", "2026-03-03 11:59:00", "2026-03-03 10:30:00", "2026-03-01 12:00:00"].map(ago),
    ["just now", "just now", "1 min ago", "1 h ago", "2 days ago"],
  );
});

test("a day from another one crosses months and leap days", () => {
  assert.deepEqual([["2026-03-01", -1], ["2024-02-28", 1], ["2025-12-31", 1]].map(([day, by]) => formats.dayFrom(day, by)), ["2026-02-28", "2024-02-29", "2026-01-01"]);
});

test("an excerpt is one line and says that it is cut", () => {
  assert.equal(formats.excerpt("a\n  b\tc "), "a b c");
  assert.equal(formats.excerpt("one two three", 7), "one two…");
  assert.equal(formats.excerpt("x".repeat(1000)).length, 201);
});

test("a sentence loses the key that the page shows beside it", () => {
  assert.equal(formats.withoutKey("page_size must be a number.", "page_size"), "Must be a number.");
  assert.equal(formats.withoutKey("Something else.", "page_size"), "Something else.");
});

test("an amount that is not known is no 0", () => {
  assert.deepEqual([{ credits: 0 }, { credits: 0, amount: null }, { credits: 2, amount: "2" }].map(formats.spent), ["0.00", "–", "2.00"]);
});
