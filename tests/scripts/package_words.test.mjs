import "./page.mjs";
import assert from "node:assert/strict";
import { test } from "node:test";

const { wordsOf } = await import("../../static/js/pages/overview/package_words.js");
const GIFT = { state: "valid", size: 100, left: 40, expires_at: "2026-12-01 23:59:59", unused: 0 };
const ENDLESS = { ...GIFT, expires_at: null, unused: null };
const about = (items, until = null, at = null) => wordsOf({ items, left: 0, lasts_until: until, read_at: at });

test("words say what ends first, with all that ends on the same day", () => {
  assert.equal(about([GIFT, { ...GIFT, left: 2.5 }, { ...GIFT, expires_at: "2026-12-02 10:00:00" }]), "42.50 of them end on 2026-12-01.");
});

test("words say until when the credits last", () => {
  assert.equal(about([ENDLESS], "2026-12-09 14:00:00"), "At your pace they last until 2026-12-09.");
});

test("words say what will be unused, unless it is next to nothing", () => {
  assert.match(about([{ ...GIFT, unused: 12 }]), /At your pace 12.00 will be unused on 2026-12-01/);
  assert.doesNotMatch(about([{ ...GIFT, unused: 0.5 }]), /unused/);
});

test("what is over says nothing", () => {
  assert.equal(about([{ ...GIFT, state: "expired" }]), "");
  assert.equal(about([]), "");
});

test("words say when it was read only where that is some days ago", () => {
  const ago = (days) => new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString().slice(0, 19).replace("T", " ");
  assert.equal(about([ENDLESS], null, ago(1)), "");
  assert.equal(about([ENDLESS], null, ago(4)), `Read on ${ago(4).slice(0, 10)}.`);
});
