import assert from "node:assert/strict";
import { test } from "node:test";
import { tipOf } from "../../static/js/charts/day_tips.js";
import { Ledger, cellsOf, completeWords, countsOf, lackingIn, stretchesOf, unknownSpans } from "../../static/js/charts/ledger_days.js";
import { byYear, oneRow } from "../../static/js/charts/strip_layouts.js";
import { dayFrom } from "../../static/js/shared/formats.js";

/** Days from the 1st of March 2026 on, one for each state; a state with "+" has records, one with "!" is final. */
const days = (...states) => states.map((state, place) => ({
  d: dayFrom("2026-03-01", place), state: state.replace(/[+!]+$/, ""), upstream: null, here: state.includes("+") ? 2 : 0, without_prompt: 0, checked_at: null,
  final: state.endsWith("!") || ["settled", "unreachable"].includes(state.replace("+", "")),
}));
const ledger = (...states) => new Ledger({ days: days(...states) });

test("a day that was not read is unknown, unless it has records", () => {
  const known = ledger("unasked", "unasked+", "unreachable", "checked", "open");
  assert.deepEqual([0, 1, 2, 3, 4].map((place) => known.unknown(dayFrom("2026-03-01", place))), ["unasked", null, "unreachable", null, null]);
});

test("days before the first listed one are unknown, days after the last one are not", () => {
  const known = ledger("checked");
  assert.deepEqual([known.unknown("2026-02-28"), known.unknown("2026-03-02")], ["unasked", null]);
});

test("before a first day that the upstream no longer gives, it gives none", () => {
  assert.equal(ledger("unreachable", "checked").unknown("2026-02-28"), "unreachable");
  assert.equal(ledger("unasked!", "checked").unknown("2020-02-28"), "unreachable");
  assert.equal(ledger("unreachable").unknownWithin({ from: "2023-03-01", to: "2026-03-01" }).unread, 0);
});

test("the unknown days of a bar are counted", () => {
  const known = ledger("unasked", "checked", "unasked");
  assert.deepEqual(known.unknownWithin({ from: "2026-03-01", to: "2026-03-03" }), { count: 2, unread: 2, all: false, state: "unasked" });
  assert.deepEqual(known.unknownWithin({ from: "2026-03-03", to: "2026-03-03" }), { count: 1, unread: 1, all: true, state: "unasked" });
});

test("a day that was not read, and that the upstream no longer gives, is unreachable", () => {
  const known = ledger("unasked!", "unasked", "checked");
  assert.deepEqual([known.unknown("2026-03-01"), known.unknown("2026-03-02")], ["unreachable", "unasked"]);
  assert.equal(known.unknownWithin({ from: "2026-03-01", to: "2026-03-03" }).unread, 1);
  assert.deepEqual(countsOf(days("unasked!", "unreachable", "unasked")), [["unasked", 1], ["unreachable", 2]]);
  assert.equal(stretchesOf(days("unasked!", "unreachable", "unasked")).length, 2);
});

test("a span without days is not unknown", () => {
  assert.equal(ledger("unasked").unknownWithin({ from: "2026-03-02", to: "2026-03-01" }).all, false);
});

test("nothing is archived of days that were not read, and of today if the day before was not read to its end", () => {
  const isBlank = (...states) => ledger("checked", ...states).isBlank({ from: "2026-03-02", to: dayFrom("2026-03-01", states.length) });
  for (const states of [["unasked"], ["unasked", "open"], ["unasked", "unreachable", "unasked", "open"]]) assert.ok(isBlank(...states), String(states));
  for (const states of [["checked"], ["unasked", "open+"], ["unasked+", "open"], ["unasked", "checked", "open"], ["unasked", "short", "open"], ["open"]]) assert.ok(!isBlank(...states), String(states));
  assert.ok(ledger("unasked+", "open").isBlank({ from: "2026-03-02", to: "2026-03-02" }));
  assert.ok(!ledger("open").isBlank({ from: "2026-03-01", to: "2026-03-01" }));
  assert.ok(ledger("unasked", "open").isBlank({ from: "2026-01-01", to: "2026-03-02" }));
  assert.ok(!ledger("unasked", "open").isBlank({ from: "2026-03-03", to: "2026-03-02" }));
});

test("consecutive unknown days of one state are one span", () => {
  const known = ledger("unasked", "unasked", "unreachable", "checked", "unasked");
  const spans = unknownSpans(known, { from: "2026-03-01", to: "2026-03-05" });
  assert.deepEqual(spans.map(({ from, to, state }) => [from.slice(8), to.slice(8), state]), [["01", "02", "unasked"], ["03", "03", "unreachable"], ["05", "05", "unasked"]]);
});

test("a span with a stripped day lost prompts", () => {
  const known = ledger("settled+", "stripped+", "settled+");
  assert.equal(known.isStripped({ from: "2026-03-01", to: "2026-03-02" }), true);
  assert.equal(known.isStripped({ from: "2026-03-03", to: "2026-03-03" }), false);
});

test("states that need attention come first", () => {
  assert.deepEqual(countsOf(days("settled", "short", "settled", "unasked")), [["short", 1], ["unasked", 1], ["settled", 2]]);
});

test("days that have no room share cells, which show what needs attention", () => {
  const cells = cellsOf(days("settled", "settled", "settled", "short", "open"), 3);
  assert.deepEqual(cells.map(({ from, to, state }) => [from.slice(8), to.slice(8), state]), [["01", "02", "settled"], ["03", "04", "short"], ["05", "05", "open"]]);
});

test("the table has one row for consecutive days of one state", () => {
  assert.deepEqual(stretchesOf(days("settled", "settled", "short")).map((row) => row.days.length), [2, 1]);
  assert.deepEqual(stretchesOf([]), []);
});

test("what lacks calls or prompts can be fetched, at most so many days at once", () => {
  const given = days("settled", "short", "checked", "unasked", "stripped", "surplus", "open", "unreachable");
  assert.deepEqual(lackingIn(given, 31), { from: "2026-03-02", to: "2026-03-05", count: 3, left: 0 });
  assert.deepEqual(lackingIn(given, 4), { from: "2026-03-02", to: "2026-03-05", count: 3, left: 0 });
  assert.deepEqual(lackingIn(given, 3), { from: "2026-03-02", to: "2026-03-04", count: 2, left: 1 });
  assert.deepEqual(lackingIn(days("settled", "unconfirmed"), 31), { from: "2026-03-02", to: "2026-03-02", count: 1, left: 0 });
  assert.equal(lackingIn(days("settled", "checked", "open", "unreachable"), 31), null);
});

test("no day is missing where each was read, whether it is settled or not", () => {
  assert.equal(completeWords(days("settled", "settled")), "No day is missing: all 2 days are complete.");
  assert.equal(completeWords(days("settled", "checked", "open")), "No day is missing; 1 day may still change. Today is not over yet.");
});

test("a day that lacks prompts alone is not missing", () => {
  assert.equal(completeWords(days("settled", "stripped", "open")), "No day is missing. 1 day lacks prompts; its calls are complete. Today is not over yet.");
  assert.equal(completeWords(days("short", "stripped", "stripped")), "1 of 3 days is missing or not complete. 2 days lack prompts; their calls are complete.");
});

test("a day that the upstream no longer gives is not missing, and counts as no day", () => {
  for (const state of ["unreachable", "unreachable+", "unasked!", "unasked+!"]) {
    assert.equal(completeWords(days("settled", "settled", state, "open")), "No day is missing: all 2 days are complete. Today is not over yet.");
    assert.equal(completeWords(days("short", state)), "1 of 1 days is missing or not complete.");
    assert.equal(lackingIn(days("settled", state), 31), null);
  }
  assert.equal(completeWords(days("unreachable")), "");
});

test("a day whose calls were erased is neither missing nor complete, and known if it was counted", () => {
  assert.equal(completeWords(days("erased+!", "erased!", "settled", "open")), "No day is missing: 1 day is complete. Today is not over yet.");
  assert.equal(completeWords(days("erased+!")), "");
  assert.equal(lackingIn(days("erased!", "settled"), 31), null);
  assert.deepEqual(countsOf(days("erased+!", "settled", "unasked")), [["unasked", 1], ["erased", 1], ["settled", 1]]);
  const known = new Ledger({ days: days("erased!", "erased+!", "erased!", "settled").map((day, place) => ({ ...day, upstream: place === 2 ? 0 : null })) });
  assert.deepEqual([-1, 0, 1, 2].map((place) => known.unknown(dayFrom("2026-03-01", place))), ["erased", "erased", null, null]);
});

test("prompts that are no longer given are a quiet state of a complete day", () => {
  assert.equal(completeWords(days("stripped+!", "settled")), "No day is missing: all 2 days are complete.");
  assert.equal(completeWords(days("stripped+!", "stripped+")), "No day is missing. 1 day lacks prompts; its calls are complete.");
  assert.deepEqual(countsOf(days("stripped+!", "stripped+")), [["stripped", 1], ["promptless", 1]]);
  assert.equal(lackingIn(days("stripped+!", "settled"), 31), null);
  assert.equal(tipOf(days("stripped+!"))[1][0].name, "prompts no longer given");
});

test("a surplus asks for nothing; until it is final it may still change", () => {
  assert.equal(lackingIn(days("settled", "surplus+"), 31), null);
  assert.equal(completeWords(days("settled", "surplus+", "checked", "open")), "No day is missing; 2 days may still change. Today is not over yet.");
  assert.equal(tipOf(days("surplus+"))[1][0].name, "more calls than at CodeBuddy");
  assert.deepEqual(countsOf(days("surplus+", "unasked", "checked")), [["unasked", 1], ["surplus", 1], ["checked", 1]]);
  assert.equal(lackingIn(days("surplus+!"), 31), null);
  assert.equal(completeWords(days("surplus+!", "settled")), "No day is missing: all 2 days are complete.");
});

for (const state of ["unasked", "unasked+", "short", "unconfirmed"]) {
  test(`a day that is ${state} is not complete`, () => {
    assert.equal(completeWords(days("settled", state, "open")), "1 of 2 days is missing or not complete.");
  });
}

test("a day that differs from its daily sums is named beside complete ones", () => {
  const [one, other] = days("settled", "settled");
  const differing = { ...one, proofs: [{ bill: 1, day: one.d, state: "differs", differences: [{ model: "", what: "calls", here: "1", there: "2" }] }] };
  assert.equal(completeWords([differing, other]), "No day is missing: all 2 days are complete. 1 day differs from the daily sums of CodeBuddy.");
});

test("the tip of a day with calls that was not read after its end says so", () => {
  const states = ["unasked+", "unasked"].map((state) => tipOf(days(state))[1][0].name);
  assert.deepEqual(states, ["not read to its end", "not read"]);
});

test("nothing is said of today alone", () => {
  assert.deepEqual([completeWords(days("open")), completeWords([])], ["", ""]);
});

test("the tip of a day has its state and counts, that of several days their states", () => {
  const [one, other] = days("short+", "checked");
  assert.deepEqual(tipOf([{ ...one, upstream: 3, without_prompt: 1, checked_at: "2026-03-02 07:30:00" }]), [
    "Sun 2026-03-01",
    [
      { name: "calls missing", value: "" }, { name: "Calls at CodeBuddy", value: "3" }, { name: "Calls here", value: "2" },
      { name: "Without a prompt", value: "1" }, { name: "Counted", value: "2026-03-02 07:30" },
    ],
  ]);
  assert.deepEqual(tipOf([one, other]), [
    "2026-03-01 to 2026-03-02",
    [{ name: "calls missing", value: "1" }, { name: "read, may still change", value: "1" }, { name: "Calls here", value: "2" }],
  ]);
});

test("a day that differs stands out in the strip, unless calls are missing of it", () => {
  const [one, other] = days("settled", "settled");
  const differences = [{ model: "", what: "calls", here: "1", there: "2" }];
  const proofs = [{ bill: 1, day: one.d, state: "differs", differences }];
  assert.equal(cellsOf([{ ...one, proofs }], 1)[0].state, "differing");
  assert.equal(cellsOf([{ ...one, proofs }, other], 1)[0].state, "differing");
  assert.equal(cellsOf([{ ...one, state: "short", proofs }], 1)[0].state, "short");
  assert.equal(completeWords([{ ...one, state: "checked", proofs }]), "No day is missing; 1 day may still change. 1 day differs from the daily sums of CodeBuddy.");
});

test("the tip of a day says where it differs from its daily sums", () => {
  const [one] = days("settled+");
  const differences = [{ model: "glm", what: "tokens_in", here: null, there: "1200" }, { model: "", what: "amount", here: "0.5", there: "0.75" }];
  const rows = tipOf([{ ...one, proofs: [{ bill: 1, day: one.d, state: "differs", differences }] }])[1];
  assert.deepEqual(rows.slice(-2), [
    { name: "Tokens in of glm: not known here, 1200 in the daily sums", value: "" },
    { name: "Credits of the whole day: 0.5 here, 0.75 in the daily sums", value: "" },
  ]);
  const many = Array(9).fill(differences[0]);
  assert.equal(tipOf([{ ...one, proofs: [{ bill: 1, day: one.d, state: "differs", differences: many }] }])[1].length, tipOf([one])[1].length + 6);
  assert.equal(tipOf([{ ...one, state: "proved" }])[1][0].name, "proved by a second sum");
});

test("few days are one row with its ends", () => {
  const { cells, labels } = oneRow(days("checked", "checked"), 160);
  assert.deepEqual(cells.map(({ x, width }) => [x, width]), [[0, 80], [80, 80]]);
  assert.deepEqual(labels.map(({ x, text }) => [x, text]), [[0, "2026-03-01"], [160, "2026-03-02"]]);
});

test("many days are a row for each year, on the place of their day", () => {
  const year = Array.from({ length: 400 }, () => "checked");
  const { cells, labels } = byYear(days(...year), 40 + 3 * 365);
  assert.deepEqual(labels.filter(({ anchor }) => anchor === "end").map(({ text }) => text), ["2026", "2027"]);
  const first = cells.find(({ from }) => from === "2027-01-01");
  assert.deepEqual([first.x, cells[0].x], [40, 40 + 3 * 59]);
  assert.equal(new Set(cells.map(({ y }) => y)).size, 2);
});
