import assert from "node:assert/strict";
import { test } from "node:test";
import { byName, callsOf, archiveOf, sumOf } from "./generated_archive.mjs";
import { sentenceOf } from "../../static/js/pages/overview/sentence.js";
import { Ledger } from "../../static/js/charts/ledger_days.js";
import { credits, dayFrom, whole } from "../../static/js/shared/formats.js";
import { textOf } from "../../static/js/shared/sentences_with_links.js";

const ARCHIVES = 1500;
const MILLION = 1e6;
const worlds = Array.from({ length: ARCHIVES }, (_, seed) => archiveOf(seed)).map((world) => ({ ...world, pieces: sentenceOf(world.asked) })).map((world) => ({ ...world, text: textOf(world.pieces) }));
/** Amounts as the sentence writes them. */
const amount = (micro) => (Math.abs(micro) >= 100 * MILLION ? whole(micro / MILLION) : credits(micro / MILLION));
/** Archives whose text has a pattern, of which there must be some. */
function having(pattern) {
  const found = worlds.map((world) => ({ ...world, match: world.text.match(pattern) })).filter(({ match }) => match);
  assert.ok(found.length > 5, `only ${found.length} of ${pattern}`);
  return found;
}
/** What the service lists in the period, as far as the words reach: until the last reading. */
const listed = ({ lists, readUntil, asked }) => callsOf(lists, asked.span, "", asked.state).filter((call) => !readUntil || `${call.day} ${String(Math.floor(call.minute / 60)).padStart(2, "0")}:${String(call.minute % 60).padStart(2, "0")}:00` <= readUntil);
const listedBefore = ({ lists, asked }) => callsOf(lists, asked.summary.comparison.window, asked.summary.comparison.until ?? "", asked.state);
const see = ({ text, asked, match }) => JSON.stringify({ text, span: asked.span, readUntil: asked.readUntil, match });
const CHANGE = /: (?<sum>[^:]*?), (?:read until [\d: -]+, )?(?<change>[\d.,]+% (?:more|less) than|about as much as|after free calls alone in|after no calls in) [^.]+\./;

test("sentences are whole: no gap, no unknown word, and each link leads somewhere", () => {
  for (const { pieces, text } of worlds) {
    assert.doesNotMatch(text, /undefined|null|NaN|Infinity|–|\s\s|\bof your 0\b/);
    assert.match(text, /\.$/);
    const links = pieces.filter((piece) => typeof piece !== "string");
    assert.ok(links.length && links.every((link) => link.text && /^[/#]/.test(link.href)), text);
  }
});

test("a total without the word archived is all that the service lists, until the last reading", () => {
  for (const world of having(/: (?<amount>[\d,.< ]+) credits(?: so far)?[,.]/)) {
    assert.equal(world.match.groups.amount, amount(sumOf(listed(world))), see(world));
  }
  for (const world of having(/: no calls(?: so far)?[,.]/)) assert.equal(listed(world).length, 0, see(world));
  for (const world of having(/: (?<count>[\d,]+) free calls?\b/)) {
    assert.equal(world.match.groups.count, whole(listed(world).length), see(world));
    assert.equal(sumOf(listed(world)), 0, see(world));
  }
});

test("an archived total is what is here, and is compared with nothing", () => {
  for (const world of having(/: (?<amount>[\d,.< ]+) archived credits/)) {
    assert.equal(world.match.groups.amount, amount(sumOf(callsOf(world.here, world.asked.span, "", world.asked.state))), see(world));
    assert.doesNotMatch(world.text, CHANGE, see(world));
    assert.doesNotMatch(world.text, / rose by | fell by |so far|read until/, see(world));
  }
});

test("days are not archived only where none of their calls is here and no day is known to have none", () => {
  for (const world of having(/: not archived\./)) {
    assert.equal(callsOf(world.here, world.asked.span, "", world.asked.state).length, 0, see(world));
    assert.ok(world.asked.ledger.isBlank(world.asked.span), see(world));
  }
});

test("an unread rest of more than a quarter of an hour is said, and only one that there is", () => {
  for (const world of having(/read until (?<time>[\d: -]+)[,.]/)) assert.ok(world.readUntil.slice(0, 16).endsWith(world.match.groups.time), see(world));
  for (const world of worlds.filter(({ asked, readUntil, text }) => readUntil && asked.span.to === asked.today && !text.includes("archived"))) {
    const minutes = (Date.parse(`${world.today}T${world.now}:00Z`) - Date.parse(`${world.readUntil.replace(" ", "T")}Z`)) / 60_000;
    assert.equal(world.text.includes("read until"), minutes > 15, see(world));
  }
});

test("nothing is less, and nothing fell, where a rest is unread that may hold more", () => {
  for (const { text } of having(/read until/)) assert.doesNotMatch(text, / less than | fell by |about as much as/);
});

test("a change is that of all calls that the service lists in both periods", () => {
  for (const world of having(CHANGE)) {
    const [now, before] = [sumOf(listed(world)), sumOf(listedBefore(world))];
    const { change } = world.match.groups;
    const percent = change.match(/^([\d.,]+)% (more|less)/);
    if (percent) {
      const size = Number(percent[1].replaceAll(",", "")) * (percent[2] === "more" ? 1 : -1);
      assert.ok(Math.abs((100 * (now - before)) / before - size) <= 0.0500001, see(world));
      assert.notEqual(size, 0);
    } else if (change.startsWith("about")) assert.ok(before > 0 && Math.abs(now - before) / before <= 0.0005, see(world));
    else assert.deepEqual([before, listedBefore(world).length > 0], [0, change.includes("free")], see(world));
  }
});

test("a change is said wherever all calls of both periods are here", () => {
  const fit = worlds.filter(({ asked: { state, summary, ledger, first, today } }) => {
    const { from, to } = summary.comparison?.window ?? {};
    const days = ledger?.within({ from, to: today }) ?? [];
    return from && !state.purpose && first && from >= first && to < today && days[0]?.d === from && days.every(({ state: one, upstream }) => upstream !== null && ["settled", "checked", "stripped", "surplus", "open"].includes(one));
  }).filter(({ readUntil, today, text }) => readUntil.startsWith(today) && !text.includes("read until"));
  assert.ok(fit.length > 100);
  for (const world of fit) assert.match(world.text, CHANGE, see(world));
});

test("the names that are said to rise and fell did so, and none did more", () => {
  for (const world of having(/(?<=\. )(?<first>[^.]+?) (?<verb>rose|fell) by (?<by>[\d,.]+)(?:, (?<second>.+?) fell by (?<less>[\d,.]+))?\. /)) {
    const dim = world.asked.state.model ? "client" : "model";
    const [now, before] = [listed(world), listedBefore(world)].map((calls) => new Map(byName(calls, dim).map(({ name, credits: sum }) => [name, sum])));
    const changes = [...new Set([...now.keys(), ...before.keys()])].map((name) => Math.round(((now.get(name) ?? 0) - (before.get(name) ?? 0)) * MILLION));
    const { verb, by, less } = world.match.groups;
    assert.equal(by, amount(verb === "rose" ? Math.max(...changes) : -Math.min(...changes)), see(world));
    if (less) assert.equal(less, amount(-Math.min(...changes)), see(world));
  }
});

test("no name is said to rise or fall where a call of either period has no known amount", () => {
  for (const { asked } of having(/ (?:rose|fell) by /)) {
    const { comparison, ...summary } = asked.summary;
    const totals = { ...comparison.totals, without_amount: 1 };
    for (const unknown of [{ ...summary, comparison, without_amount: 1 }, { ...summary, comparison: { ...comparison, totals } }]) {
      assert.doesNotMatch(textOf(sentenceOf({ ...asked, summary: unknown })), / rose by | fell by /);
    }
  }
});

test("the most expensive call is that of the service, or is said to be archived", () => {
  for (const world of having(/The most expensive (?<archived>archived )?call cost (?<amount>[\d,.< ]+) on /)) {
    const calls = world.match.groups.archived ? callsOf(world.here, world.asked.span, "", world.asked.state) : listed(world);
    assert.equal(world.match.groups.amount, amount(Math.max(...calls.map(({ micro }) => micro))), see(world));
  }
});

test("the end of the month is said only of all calls of a month whose calls are here, and not below what is spent", () => {
  for (const world of having(/(?<month>\w+) is likely to end at (?<least>[\d,]+)(?: to (?<most>[\d,]+))?(?: credits| of your (?<budget>[\d,.]+) credits)\.$/)) {
    const { asked, today, lists, readUntil, match: { groups } } = world;
    const month = { from: `${today.slice(0, 7)}-01`, to: today };
    assert.deepEqual([asked.state.model, asked.state.client, asked.state.purpose, asked.span.to], ["", "", "", today], see(world));
    assert.equal(Math.round(asked.forecast.so_far * MILLION), sumOf(listed({ lists, readUntil, asked: { span: month, state: {} } })), see(world));
    assert.ok(Number(groups.least.replaceAll(",", "")) >= Math.floor(asked.forecast.so_far), see(world));
    const fitting = (asked.budgets ?? []).filter((one) => one.period === "month" && one.begins_on === month.from && !one.model);
    assert.equal(groups.budget, fitting.length ? amount(Math.min(...fitting.map((one) => one.credits)) * MILLION) : undefined, see(world));
  }
});

test("without the ledger nothing is said of what the service lists", () => {
  for (const { text } of worlds.filter(({ asked }) => !asked.ledger)) {
    assert.doesNotMatch(text, / credits so far|read until| more than | less than |likely| rose | fell |not archived/);
    assert.match(text, /archived/);
  }
});

test("of a purpose only archived calls are told, since not every purpose is known", () => {
  const chosen = worlds.filter(({ asked }) => asked.state.purpose && asked.summary.calls);
  assert.ok(chosen.length > 20);
  for (const { text } of chosen) assert.match(text, /: [\d,.< ]+ archived credits\./);
});

test("a month of which nothing was read is not archived, whatever today is", () => {
  const ledger = new Ledger({ days: [{ d: "2026-10-31", state: "unasked", here: 4 }, ...["unasked", "unasked", "open"].map((state, place) => ({ d: `2026-11-0${place + 1}`, state, here: 0 }))] });
  const comparison = { window: { from: "2026-10-01", to: "2026-10-03" }, until: "14:05", totals: { calls: 9, free: 0, credits: 90, avgPerCall: 10 }, change: {} };
  const summary = { calls: 0, free: 0, credits: 0, avgPerCall: 0, comparison, window: { from: "2026-11-01", to: "2026-11-03" }, partial: { date: "2026-11-03", hhmm: "14:05" } };
  const asked = { summary, dims: null, top: [], forecast: null, budgets: [], ledger, first: "2026-08-27", span: { from: "2026-11-01", to: "2026-11-03" }, today: "2026-11-03", readUntil: "", state: { period: "month", from: "", to: "", model: "", client: "", purpose: "" }, label: "This month" };
  assert.equal(textOf(sentenceOf(asked)), "November: not archived.");
});

test("of days to come nothing else is said", () => {
  const [{ asked }] = worlds.filter(({ text }) => / is likely to end /.test(text));
  for (const [span, words] of [[{ from: "2027-01-01", to: "2027-01-31" }, "January 2027"], [{ from: "2027-01-02", to: "2027-01-31" }, "2027-01-02 to 2027-01-31"], [{ from: dayFrom(asked.today, 1), to: "2027-01-02" }, `${dayFrom(asked.today, 1)} to 2027-01-02`]]) {
    assert.equal(textOf(sentenceOf({ ...asked, span, label: "" })), `${words}: still to come.`);
  }
});

const DAYS = (from, states) => new Ledger({ days: states.map((state, place) => ({ d: `2026-${from}-${String(place + 1).padStart(2, "0")}`, state, here: 1 })) });
const SUMS = { calls: 9, free: 1, avgPerCall: 1 };
const WINDOW = { from: "2026-10-01", to: "2026-10-03", days: 3 };

test("a month reads as a person would say it", () => {
  const [october, november] = [DAYS("10", Array(31).fill("settled")), DAYS("11", ["settled", "checked", "open"])];
  const comparison = { window: WINDOW, until: "14:05", totals: { ...SUMS, credits: 4280 }, change: {} };
  const asked = {
    summary: { ...SUMS, credits: 4410, comparison, window: { from: "2026-11-01", to: "2026-11-03" }, partial: { date: "2026-11-03", hhmm: "14:05" } },
    dims: { model: [{ name: "deepseek-v4", credits: 3320 }, { name: "glm-5.3", credits: 1090 }], client: [], comparison: { ...comparison, items: { model: { "deepseek-v4": { credits: 3095 }, "glm-5.3": { credits: 1185 } } } } },
    top: [{ id: "a/b", c: 58, m: "glm-5.3", t: "2026-11-02 09:00:00" }], forecast: { month: "2026-11", so_far: 4410, low: 5281, middle: 5400, high: 5559.5, method: "weekdays" },
    budgets: [{ period: "month", credits: 6000, begins_on: "2026-11-01", model: "", client: "" }], ledger: new Ledger({ days: [...october.within({}), ...november.within({})] }),
    first: "2026-08-27", span: { from: "2026-11-01", to: "2026-11-03" }, today: "2026-11-03", readUntil: "2026-11-03 14:00:00", state: { period: "month", from: "", to: "", model: "", client: "", purpose: "" }, label: "This month",
  };
  const ends = "deepseek-v4 rose by 225, glm-5.3 fell by 95.00. The most expensive call cost 58.00 on Nov 2. November is likely to end at 5,280 to 5,560 of your 6,000 credits.";
  assert.equal(textOf(sentenceOf(asked)), `November: 4,410 credits so far, 3.0% more than October at this point. ${ends}`);
  assert.equal(textOf(sentenceOf({ ...asked, readUntil: "2026-11-03 08:00:00" })), `November: 4,410 credits, read until 08:00, 3.0% more than 2026-10-01 to 2026-10-03 until 14:05. ${ends.replace(", glm-5.3 fell by 95.00", "")}`);
});
