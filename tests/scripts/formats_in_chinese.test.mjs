import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.document.documentElement.lang = "zh-hans";
const { compact, whole } = await import("../../static/js/shared/formats.js");

test("thousands are apart, also on an axis", () => {
  assert.deepEqual([2000, 4000, 12000, 43210000].map(compact), ["2,000", "4,000", "1.2万", "4,321万"]);
  assert.equal(whole(4000), "4,000");
});
