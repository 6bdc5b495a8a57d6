import assert from "node:assert/strict";
import { test } from "node:test";
import { joined, labelOf, namesIn } from "../../static/js/shared/filter_names.js";
import { cover, queryOf, readState, spanOf, tidied } from "../../static/js/shared/periods.js";

const CALENDAR = {
  today: "2026-03-01",
  periods: { 7: { from: "2026-02-23", to: "2026-03-01" }, 30: { from: "2026-01-31", to: "2026-03-01" }, all: {} },
  year: { from: "2025-02-24", to: "2026-03-01" },
};
const SPANS = {
  "?period=7": { from: "2026-02-23", to: "2026-03-01" },
  "?period=all": {},
  "?period=custom&from=2026-02-30&to=2026-01-05": { to: "2026-01-05" },
  "?period=custom&from=2026-02-03&to=2026-01-05": { from: "2026-01-05", to: "2026-02-03" },
  "?period=custom&from=never": { from: "2026-01-31", to: "2026-03-01" },
  "?period=custom&from=1026-01-01": { from: "2026-01-31", to: "2026-03-01" },
  "?period=nonsense": { from: "2026-01-31", to: "2026-03-01" },
  "?period=toString": { from: "2026-01-31", to: "2026-03-01" },
  "?period=&from=2026-02-03&to=2026-02-05": { from: "2026-02-03", to: "2026-02-05" },
  "?from=2026-02-03": { from: "2026-02-03" },
  "": { from: "2026-01-31", to: "2026-03-01" },
};

for (const [address, span] of Object.entries(SPANS)) {
  test(`the days of "${address}"`, () => {
    assert.deepEqual(spanOf(readState(address, "30", CALENDAR), CALENDAR), span);
  });
}

const TIDIED = {
  "?period=foo&model=m": "model=m",
  "?period=foo&from=2026-01-05&to=2026-01-06": "",
  "?from=2026-13-99": "",
  "?from=2026-13-99&to=2026-01-05&q=a+b": "to=2026-01-05&q=a+b",
  "?period=7&from=2026-01-05": "period=7",
  "?period=custom": "",
  "?period=&from=2026-01-05": "from=2026-01-05",
  "?period=custom&from=2026-02-03&to=2026-01-05": "period=custom&from=2026-01-05&to=2026-02-03",
  "?from=2026-02-03&to=2026-02-05": "from=2026-02-03&to=2026-02-05",
  "?period=30": "period=30",
};

for (const [address, left] of Object.entries(TIDIED)) {
  test(`what is left of "${address}"`, () => {
    const state = readState(address, "30", CALENDAR);
    assert.equal(String(tidied(address, state)), left);
    // The same days are shown.
    assert.deepEqual(readState(String(tidied(address, state)), "30", CALENDAR), state);
  });
}

test("a page whose usual period is another one shows that", () => {
  assert.equal(readState("?model=m", "all", CALENDAR).period, "all");
});

test("an address names the filters that are not as usual", () => {
  const state = readState("?period=7&model=a+b&client=", "30", CALENDAR);
  assert.equal(String(queryOf(state, "30")), "period=7&model=a+b");
  assert.equal(String(queryOf(state, "7")), "model=a+b");
  assert.equal(String(queryOf(state)), "period=7&model=a+b");
});

test("a span that covers others is open where one of them is", () => {
  assert.deepEqual(cover([{ from: "2026-02-01", to: "2026-02-02" }, { from: "2026-01-01", to: "2026-02-01" }]), { from: "2026-01-01", to: "2026-02-02" });
  assert.deepEqual(cover([{ from: "2026-02-01" }, { from: "2026-01-01", to: "2026-02-01" }]), { from: "2026-01-01" });
  assert.deepEqual(cover([{}, { from: "2026-01-01", to: "2026-02-01" }]), {});
});

test("the purpose is kept as the other names are", () => {
  assert.equal(String(queryOf(readState("?purpose=chat&client=ide", "all", CALENDAR), "all")), "client=ide&purpose=chat");
  assert.equal(String(queryOf(readState("?no_purpose=1&purpose=chat", "all", CALENDAR), "all")), "no_purpose=1");
});

test("calls without a client are asked for by no_client, whatever client is named", () => {
  const state = readState("?period=all&no_client=true&client=ide&no_model=0&model=m", "all", CALENDAR);
  assert.equal(String(queryOf(state, "all")), "model=m&no_client=1");
});

test("several names are kept in the order of the address, each once", () => {
  const state = readState("?model=b&model=a&model=&model=b&client=ide", "all", CALENDAR);
  assert.equal(String(queryOf(state, "all")), "model=b&model=a&client=ide");
  assert.deepEqual(namesIn(state.model), ["b", "a"]);
  assert.equal(state.client, "ide");
});

test("calls without a model are asked for whatever models are named", () => {
  assert.equal(String(queryOf(readState("?model=a&model=b&no_model=1", "all", CALENDAR), "all")), "no_model=1");
});

test("several names are shown by name where they are short, else by their number", () => {
  assert.equal(labelOf("model", joined(["glm", "kimi"])), "glm, kimi");
  assert.equal(labelOf("client", joined(["a long name of a client", "another long name"])), "2 clients");
  assert.equal(labelOf("model", joined(["glm"])), "glm");
  assert.equal(joined([]), "");
});
