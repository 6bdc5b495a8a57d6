import assert from "node:assert/strict";
import { test } from "node:test";
import { archiveOf, callsOf } from "./generated_archive.mjs";
import { Ledger } from "../../static/js/charts/ledger_days.js";
import { sealOf } from "../../static/js/pages/overview/seal.js";
import { dayFrom } from "../../static/js/shared/formats.js";

const TODAY = "2026-11-25";
const WHEN = "2026-11-25 01:54:10";
/** A ledger whose last day is today; a state with "+" has records, one with "!" is final, of one with "?" the
 *  calls are not counted. */
const ledger = (...states) => new Ledger({ days: states.map((state, place) => ({
  d: dayFrom(TODAY, place + 1 - states.length), state: state.replace(/[+!?]/, ""), upstream: state.endsWith("?") ? null : 0, here: state.endsWith("+") ? 2 : 0, final: state.endsWith("!"), checked_at: state.startsWith("settled") ? WHEN : null,
})) });
const seal = (back, states, until = 0) => sealOf(ledger(...states), { from: dayFrom(TODAY, -back), to: dayFrom(TODAY, -until) }, TODAY);

test("all is here since the first of the complete days around the period", () => {
  assert.deepEqual(seal(1, ["unasked", "settled", "checked", "stripped+", "open"]), { state: "whole", text: "Every call that CodeBuddy lists since Nov 22 is here, compared today 01:54" });
  assert.equal(seal(1, ["short+", "checked", "open"]).text, "Every call that CodeBuddy lists since Nov 24 is here");
  const older = new Ledger({ days: [{ d: "2025-12-31", state: "settled", here: 1, checked_at: "2026-01-04 09:00:00" }, { d: "2026-01-01", state: "short", here: 0, checked_at: WHEN }] });
  assert.equal(sealOf(older, { from: "2025-12-31", to: "2025-12-31" }, TODAY).text, "Every call that CodeBuddy lists from Dec 31, 2025 to Dec 31, 2025 is here, compared Jan 4 09:00");
});

test("a later day that lacks calls ends what is said of an earlier period", () => {
  assert.equal(seal(4, ["settled", "settled", "short+", "checked", "open"], 3).text, "Every call that CodeBuddy lists from Nov 21 to Nov 22 is here, compared today 01:54");
});

test("days that lack calls are counted, with those of which nothing is known", () => {
  assert.deepEqual(seal(3, ["settled", "short+", "unasked", "open"]), { state: "lacking", text: "1 day not archived, 1 day is not complete" });
  assert.equal(seal(2, ["unasked+", "unconfirmed", "open"]).text, "2 days are not complete");
  assert.equal(seal(9, ["settled", "open"]).text, "8 days not archived");
});

test("days that the service has not counted, as after an adoption, are not complete", () => {
  assert.deepEqual(seal(3, ["settled", "checked?", "stripped?", "open"]), { state: "lacking", text: "2 days are not compared" });
  assert.equal(seal(3, ["short+", "checked?", "settled", "open"]).text, "1 day is not complete, 1 day is not compared");
  assert.equal(seal(1, ["checked?", "settled", "open"]).text, "Every call that CodeBuddy lists since Nov 24 is here, compared today 01:54");
});

test("what the service no longer gives is not missing", () => {
  assert.equal(seal(3, ["unreachable", "unasked!", "settled", "open"]).text, "Every call that CodeBuddy lists since Nov 24 is here, compared today 01:54");
  assert.deepEqual(seal(2, ["unreachable+", "unasked!", "open"]), { state: "gone", text: "CodeBuddy no longer gives these days" });
  assert.equal(seal(1500, ["unreachable", "settled", "open"]).text, "Every call that CodeBuddy lists since Nov 24 is here, compared today 01:54");
  assert.equal(seal(1500, ["unasked!", "open"], 1200).state, "gone");
});

test("days whose calls were erased are not missing, and prove nothing", () => {
  assert.equal(seal(3, ["erased+", "erased!", "settled", "open"]).text, "Every call that CodeBuddy lists since Nov 24 is here, compared today 01:54");
  assert.deepEqual(seal(2, ["erased+", "unasked!", "open"]), { state: "gone", text: "The calls of these days were erased; their sums stay" });
  assert.equal(seal(1500, ["erased", "settled", "open"]).state, "whole");
});

test("a day with more calls than the service lists has all that it lists, settled or not", () => {
  for (const surplus of ["surplus+", "surplus!"]) {
    assert.deepEqual(seal(2, ["settled", surplus, "open"]), { state: "whole", text: "Every call that CodeBuddy lists since Nov 23 is here, compared today 01:54" });
  }
  assert.equal(seal(2, ["short+", "surplus+", "open"]).text, "1 day is not complete");
});

test("days whose daily sums agree are counted, and one that differs is no whole seal", () => {
  assert.deepEqual(seal(3, ["proved", "proved", "checked", "open"]), { state: "whole", text: "Every call that CodeBuddy lists since Nov 22 is here; 2 days are equal to the bill" });
  assert.equal(seal(2, ["settled", "proved", "open"]).text, "Every call that CodeBuddy lists since Nov 23 is here, compared today 01:54; 1 day is equal to the bill");
  globalThis.document.documentElement.dataset.service = "LiteLLM";
  assert.match(seal(2, ["settled", "proved", "open"]).text, /; the daily sums of 1 day agree$/);
  delete globalThis.document.documentElement.dataset.service;
  const differing = ledger("proved", "settled", "open");
  differing.within({})[1].proofs = [{ bill: 1, day: "2026-11-24", state: "differs", differences: [{ model: "", what: "calls", here: "1", there: "2" }] }];
  const span = { from: "2026-11-23", to: "2026-11-24" };
  assert.deepEqual(sealOf(differing, span, TODAY), { state: "lacking", text: "1 day differs from the daily sums of CodeBuddy" });
  assert.equal(sealOf(differing, { ...span, to: "2026-11-23" }, TODAY).state, "whole");
});

test("days to come are said to be so", () => {
  for (const from of [dayFrom(TODAY, 1), "2027-01-01"]) assert.deepEqual(sealOf(ledger("settled", "open"), { from, to: "2027-01-31" }, TODAY), { state: "open", text: "Still to come." });
});

test("of today alone, and without a ledger, nothing is proved", () => {
  assert.deepEqual(seal(0, ["settled", "open"]), { state: "open", text: "Today is not over yet." });
  assert.deepEqual(sealOf(undefined, { from: TODAY, to: TODAY }, TODAY), { state: "", text: "" });
});

test("whatever the archive, a whole seal is true of each day since then that is over", () => {
  let wholes = 0;
  for (let seed = 0; seed < 1000; seed += 1) {
    const { asked: { ledger: known, span }, today, here, lists } = archiveOf(seed);
    const { state, text } = sealOf(known, span, today);
    if (state !== "whole") continue;
    wholes += 1;
    const [, since] = text.match(/(?:since|from) (\w+ \d+(?:, \d+)?)/);
    const first = new Date(`${since.includes(",") ? since : `${since}, ${today.slice(0, 4)}`} UTC`).toISOString().slice(0, 10);
    const [, until] = text.match(/ to (\w+ \d+(?:, \d+)?) is here/) ?? [];
    const last = until ? new Date(`${until.includes(",") ? until : `${until}, ${today.slice(0, 4)}`} UTC`).toISOString().slice(0, 10) : dayFrom(today, -1);
    const [listed, kept] = [lists, here].map((calls) => callsOf(calls, { from: first, to: last }).length);
    assert.equal(kept, listed, text);
    // Of other days of the period that are over, none lacks what the service still gives.
    const others = known.within({ from: span.from, to: dayFrom(today, -1) }).filter(({ d }) => d <= span.to && (d < first || d > last));
    for (const { state: other } of others) assert.match(other, /unreachable|settled|checked|stripped|surplus/, text);
  }
  assert.ok(wholes > 200, `${wholes}`);
});

test("of files nothing lists the calls", () => {
  globalThis.document.documentElement.dataset.ofFiles = "";
  assert.deepEqual(seal(1, ["unasked+", "unasked", "open"]), { state: "open", text: "From files: nothing says whether all calls are here" });
  delete globalThis.document.documentElement.dataset.ofFiles;
});
