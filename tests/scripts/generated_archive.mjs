// Archives made of random calls and days, with the answers that the API gives of them. What the service really lists, or
// has listed, stands beside what is here, so that a test can compare words with the truth.

import { Ledger } from "../../static/js/charts/ledger_days.js";
import { dayFrom } from "../../static/js/shared/formats.js";

const MILLION = 1e6;
const MODELS = ["glm", "kimi-k3", "", "100% (s)", "%(up)s", "深度", "$&"];
const CLIENTS = ["ide", "cli", ""];
const TODAYS = ["2026-11-25", "2026-03-31", "2026-01-01", "2026-05-01", "2026-02-28", "2024-02-29", "2026-08-12"];
const BAD = ["short", "unconfirmed", "unasked", "unreachable"];
const GOOD = ["settled", "checked", "stripped", "surplus"];
const HISTORY = 75;

/** Numbers that look random, the same for each seed. */
export function randomOf(seed) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const below = (most) => Math.floor(next() * most);
  return { below, chance: (share) => next() < share, one: (list) => list[below(list.length)] };
}

const hhmm = (minute) => `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
export const at = ({ day, minute }) => `${day} ${hhmm(minute)}:00`;
export const sumOf = (calls) => calls.reduce((sum, { micro }) => sum + micro, 0);
const averageOf = (calls) => (calls.length ? sumOf(calls) / calls.length / MILLION : 0);
const totalsOf = (calls) => ({ credits: sumOf(calls) / MILLION, calls: calls.length, free: calls.filter(({ micro }) => !micro).length, avgPerCall: averageOf(calls) });

/** The calls of some days, on the last one until a minute (HH:MM), and of chosen names. */
export const callsOf = (calls, { from, to }, until = "", { model = "", client = "" } = {}) => calls.filter((call) => (
  call.day >= from && call.day <= to && (!until || call.day < to || hhmm(call.minute) <= until) && (!model || call.model === model) && (!client || call.client === client)
));

/** The sums by name, as items of /api/dims. */
export function byName(calls, dim) {
  const names = [...new Set(calls.map((call) => call[dim]))];
  const items = names.map((name) => ({ name, ...totalsOf(calls.filter((call) => call[dim] === name)) }));
  return items.map(({ avgPerCall: avg, ...item }) => ({ ...item, avg })).sort((one, other) => other.credits - one.credits);
}

/** One archive, a period of it, and what the page knows of both; `lists` has what the service really lists. */
export function archiveOf(seed) {
  const random = randomOf(seed);
  const today = random.one(TODAYS);
  const now = random.below(1440);
  const readUntil = readUntilOf(random, today, now);
  const days = daysOf(random, today, dayOf(readUntil));
  const lists = listedCalls(random, days, { today, now });
  const here = lists.filter((call) => isHere(random, call, days, readUntil));
  const countOf = (calls, day) => calls.filter((call) => call.day === day).length;
  const coverage = days.map(({ day, state, isListed, isCounted }) => isListed && ({ d: day, state, here: countOf(here, day), upstream: isCounted ? countOf(lists, day) - (state === "surplus" ? 1 : 0) : null, without_prompt: 0, checked_at: null }));
  const ledger = random.chance(0.93) ? new Ledger({ days: coverage.filter(Boolean) }) : undefined;
  const world = { random, today, now: hhmm(now), readUntil, here, lists, ledger, first: here.map(({ day }) => day).sort()[0] };
  return { ...world, asked: askedOf(world) };
}

const dayOf = (time) => time.slice(0, 10);

function readUntilOf(random, today, now) {
  if (random.chance(0.08)) return "";
  const back = random.chance(0.15) ? 1 + random.below(3) : 0;
  const minute = back ? random.below(1440) : random.chance(0.6) ? Math.max(0, now - random.below(14)) : random.below(now + 1);
  return at({ day: dayFrom(today, -back), minute });
}

/** The days until today with their states: all good in half of the archives. */
function daysOf(random, today, readDay) {
  const isGood = random.chance(0.5);
  const begin = random.below(3) ? HISTORY : random.below(HISTORY);
  return Array.from({ length: HISTORY + 1 }, (_, place) => {
    const day = dayFrom(today, place - HISTORY);
    const isUnread = day >= readDay || !readDay;
    const bad = !isGood && random.chance(0.06) ? random.one([...BAD, "uncounted"]) : "";
    const state = stateOf(random, day, { today, isUnread, bad });
    // As after an adoption: the day was read, but how many calls the service lists is not known.
    return { day, isListed: HISTORY - place <= begin, ...(state === "uncounted" ? { state: "checked", isCounted: false } : { state, isCounted: true }) };
  });
}

function stateOf(random, day, { today, isUnread, bad }) {
  if (day === today) return "open";
  return isUnread ? "unasked" : bad || random.one(GOOD);
}

function listedCalls(random, days, { today, now }) {
  const most = random.one([0, 1, 3, 3, 6]);
  const scale = random.one([0.2, 5, 5, 400]);
  return days.flatMap(({ day }) => Array.from({ length: random.below(most + 1) }, () => {
    const minute = random.below(day === today ? now + 1 : 1440);
    const micro = random.chance(0.3) ? 0 : random.below(scale * MILLION);
    return { day, minute, micro, model: random.one(MODELS), client: random.one(CLIENTS), id: `r/${random.below(1e9)}` };
  }));
}

/** Whether a call that the service lists was archived: all of complete days, those before the last reading, some of others. */
function isHere(random, call, days, readUntil) {
  const { state, isListed, isCounted } = days.find(({ day }) => day === call.day);
  if (!isListed) return random.chance(0.2);
  if (!isCounted) return random.chance(0.5);
  if (GOOD.includes(state)) return true;
  if (readUntil && call.day >= dayOf(readUntil)) return at(call) <= readUntil;
  return random.chance(0.5);
}

/** A period with the answers of the API and all that the page knows of it. */
function askedOf(world) {
  const { random, today, here, ledger, first, readUntil } = world;
  const span = spanOf(random, today);
  const state = { period: "custom", ...span, model: "", client: "", purpose: "", ...(random.chance(0.2) && random.one([{ model: "glm" }, { client: "ide" }, { purpose: "chat" }])) };
  const earlier = random.chance(0.85) ? earlierOf(random, span) : null;
  const until = span.to === today ? world.now : null;
  const now = callsOf(here, span, "", state);
  const before = earlier ? callsOf(here, earlier, until ?? "", state) : [];
  const comparison = earlier && { window: { ...earlier, days: 1 }, until, totals: totalsOf(before), change: {} };
  const items = (dim) => Object.fromEntries(byName(before, dim).map(({ name, ...item }) => [name, item]));
  const summary = { ...totalsOf(now), window: { ...span, days: 1 }, ...(comparison && { comparison }), ...(until && { partial: { date: today, hhmm: until } }) };
  const dims = { model: byName(now, "model"), client: byName(now, "client"), hour: [], purpose: [], ...(comparison && { comparison: { ...comparison, items: { model: items("model"), client: items("client") } } }) };
  const top = now.toSorted((one, other) => other.micro - one.micro).slice(0, 10).map((call) => ({ id: call.id, c: call.micro / MILLION, m: call.model, cl: call.client, t: at(call), px: null }));
  const label = random.chance(0.3) ? "Last days" : "";
  const orNull = (answer) => (random.chance(0.95) ? answer : null);
  return { summary, dims: orNull(dims), top: orNull(top), forecast: forecastOf(world), budgets: orNull(budgetsOf(random, today)), ledger, first, span, today, readUntil, state, label };
}

function spanOf(random, today) {
  const month = `${today.slice(0, 7)}-01`;
  const before = dayFrom(month, -1);
  const other = dayFrom(today, -random.below(30));
  return random.one([
    { from: today, to: today }, { from: dayFrom(today, -1), to: dayFrom(today, -1) }, { from: dayFrom(today, -6), to: today }, { from: dayFrom(today, -29), to: today },
    { from: month, to: today }, { from: `${before.slice(0, 7)}-01`, to: before }, { from: dayFrom(other, -random.below(9)), to: other },
  ]);
}

function earlierOf(random, { from, to }) {
  const length = 1 + Math.round((Date.parse(to) - Date.parse(from)) / 86400000);
  const last = dayFrom(from, -1);
  const monthly = { from: `${last.slice(0, 7)}-01`, to: dayFrom(`${last.slice(0, 7)}-01`, Number(to.slice(8)) - 1) };
  const away = 1 + random.below(20);
  return random.one([{ from: dayFrom(from, -length), to: last }, from.endsWith("-01") && monthly.to < from ? monthly : { from: dayFrom(from, -length), to: last }, { from: dayFrom(from, -away - 3), to: dayFrom(from, -away) }]);
}

function forecastOf({ random, today, here }) {
  const soFar = sumOf(callsOf(here, { from: `${today.slice(0, 7)}-01`, to: today })) / MILLION;
  const low = soFar + random.below(3) * random.below(1000);
  const none = { low: null, middle: null, high: null, method: "none" };
  const range = random.chance(0.8) ? { low, middle: low, high: low + random.below(500), method: "weekdays" } : none;
  return random.chance(0.95) ? { month: today.slice(0, 7), so_far: soFar, ...range } : null;
}

function budgetsOf(random, today) {
  const month = `${today.slice(0, 7)}-01`;
  return Array.from({ length: random.below(4) }, () => ({
    period: random.one(["day", "week", "month", "month"]), credits: 1 + random.below(9000), begins_on: random.one([month, month, dayFrom(month, -9)]), model: random.one(["", "", "glm"]), client: "",
  }));
}
