import assert from "node:assert/strict";
import { test } from "node:test";
import { paramsOf } from "../../static/js/shared/page_reads.js";
import { queryFrom } from "../../static/js/shared/query.js";

const SPANS = { period: { from: "2026-02-01", to: "2026-02-28" }, year: { from: "2025-02-24", to: "2026-03-01" }, all: {} };

test("a read covers its spans and asks for the chosen names", () => {
  const daily = "days=period+year&narrowed=1";
  assert.deepEqual(paramsOf(daily, SPANS, { model: "m" }), { from: "2025-02-24", to: "2026-03-01", model: "m" });
});

test("a read without days asks for none", () => {
  assert.deepEqual(paramsOf("days=", SPANS, { model: "m" }), {});
});

test("a read of the whole archive asks for no names", () => {
  const names = "days=all&dim=model";
  assert.deepEqual(paramsOf(names, SPANS, { model: "m" }), { dim: "model" });
});

test("a read asks for each of several names", () => {
  assert.equal(String(queryFrom(paramsOf("days=all&narrowed=1&n=10", SPANS, { model: ["a", "b c"] }))), "model=a&model=b+c&n=10");
});
