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
  assert.deepEqual([12.34, -5, 0.01, null, Infinity].map(formats.change), ["▲ 12.3% more", "▼ 5.0% less", "unchanged", null, null]);
});

test("a column of changes has one decimal in each row", () => {
  assert.deepEqual([12.34, -5, 1162, 0.01, null].map(formats.shortChange), ["▲ 12.3%", "▼ 5.0%", "▲ 1,162.0%", "=", null]);
});

test("a change of a share is in points", () => {
  assert.deepEqual([0.123, -0.02, 0.0001].map(formats.points), ["▲ 12.3 points more", "▼ 2.0 points less", "unchanged"]);
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
