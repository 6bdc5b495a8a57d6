import assert from "node:assert/strict";
import { test } from "node:test";
import { csvOf, jsonOf, tabbedOf, valuesOf } from "../../static/js/shared/table_texts.js";

const HEAD = ["Day", "Credits", "Change"];

test("numbers are plain, names stay, and what is unknown is empty and not zero", () => {
  assert.equal(csvOf(valuesOf([HEAD, ["1,234", "5,298.31", "–"], ["2026-03-01", "0", "-12.5"]])),
    '\ufeff"Day","Credits","Change"\r\n"1,234",5298.31,\r\n"2026-03-01",0,-12.5\r\n');
  assert.deepEqual(JSON.parse(jsonOf(valuesOf([HEAD, ["1,234", "5,298.31", "–"]]))), { columns: HEAD, rows: [["1,234", 5298.31, null]] });
});

test("what is nearly a number stays a text", () => {
  assert.deepEqual(JSON.parse(jsonOf(valuesOf([HEAD, ["a", "< 0.01", "12.5%"], ["b", "1,23", "1.2.3"]]))).rows, [["a", "< 0.01", "12.5%"], ["b", "1,23", "1.2.3"]]);
});

test("columns of equal names are all kept", () => {
  assert.deepEqual(JSON.parse(jsonOf(valuesOf([["Day", "other", "other"], ["a", "1", "2"]]))).rows, [["a", 1, 2]]);
});

for (const sign of ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20"]) {
  test(`a text that begins with ${JSON.stringify(sign)} is no formula in a spreadsheet`, () => {
    const rows = [[`${sign}head`, "x"], [`${sign}name`, `${sign}cell`]];
    assert.equal(csvOf(rows), `\ufeff"'${sign}head","x"\r\n"'${sign}name","'${sign}cell"\r\n`);
  });
}

test("a negative number is no formula", () => {
  assert.equal(csvOf(valuesOf([HEAD, ["a", "-1,000.5", "x"]])).split("\r\n")[1], '"a",-1000.5,"x"');
});

test("quotes and commas stay within their cell", () => {
  assert.equal(csvOf([['a "b", c', "x"]]), '\ufeff"a ""b"", c","x"\r\n');
});

test("the clipboard gets tabs between cells, none within, and no formula", () => {
  assert.equal(tabbedOf(valuesOf([["a\tb", "x"], ["=cmd", "1,5"], ["\n=cmd", "1,500"]])), "a b\tx\n'=cmd\t1,5\n'=cmd\t1500\n");
});

test("an empty table gives an empty head", () => {
  assert.deepEqual(JSON.parse(jsonOf([[]])), { columns: [], rows: [] });
});

test("what is given with the values of the API stays as it is", () => {
  const rows = [HEAD, ["2026-03-01", "1742345678901234567", "007"], ["2026-03-02", "1,000", "–"]];
  assert.deepEqual(JSON.parse(jsonOf(rows)).rows, rows.slice(1));
  assert.equal(csvOf(rows).split("\r\n")[1], '"2026-03-01","1742345678901234567","007"');
  assert.equal(tabbedOf(rows).split("\n")[2], "2026-03-02\t1,000\t–");
});

test("numbers that are given as such stay numbers, and null is empty", () => {
  const rows = [HEAD, ["=a", -12.5, null]];
  assert.equal(csvOf(rows).split("\r\n")[1], '"\'=a",-12.5,');
  assert.deepEqual(JSON.parse(jsonOf(rows)).rows, [["=a", -12.5, null]]);
});
