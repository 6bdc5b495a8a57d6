"""Values for parameters, fields, headers and paths: ordinary ones, ones that once broke something, and random ones."""

import random
import string

# Seen to hang, to fail with 500, to blind the log, or to pass for somebody else.
SEEDS = [
    "^(([a-z:_-]+)+)+!$", "(", "[", "*", "(?P<x", "9" * 4400, "-" + "9" * 400, "0", "-1", "1e400", "NaN", "Infinity",
    "0x10", "٣", "１", "true", "null", "", " ", "\x00", "a\x00b", "\x1b[2J", "a\r\nX-Injected: 1", "\ud800", "\u202e",
    "ƅoss", "Scheduler", "command line", "SYSTEM", "wrong password", "2026-02-30", "0000-00-00", "9999-12-31",
    "2026-01-01T00:00", "abc", "foo?x=1", "//evil.example", "/\\evil.example", "%2f%2fx", "login",
    "https://evil.example",
    "../../etc/passwd", "..%2f..%2f", "/etc/passwd", "{{7*7}}", "${7*7}", "' OR 1=1 --", '"; DROP TABLE x; --',
    "%", "%%s",
    "<script>alert(1)</script>", "=1+1", "＝1", "＋1", "－1", "＠x", "+1", "@x", "\t=1", "\ufeff", "龘", "魍魉", "的",
    "z" * 5000,
    "__clear__", "-",
    "curl 'https://x.example/' -H 'Cookie: a=b'", "a=b; c=d", "session=" + "x" * 9000, "1,2,3", "1..2",
]  # fmt: skip
ORDINARY = [
    "1", "2", "7", "20", "50", "100", "1000", "2026-01-01", "2026-06-15", "2026-11-01", "2026-11-20", "2025-01-01",
    "ts_desc", "ts_asc", "credits_desc", "model_asc", "client_asc", "model", "client", "ok", "manual", "desc", "asc",
    "alpha", "beta", "the", "function", "en", "zh-hans", "dark", "on", "off", "08:00", "08:00,20:00", "today", "month",
]  # fmt: skip
# `json.dumps` keeps these apart from their texts.
TYPES: list[object] = [None, True, False, 0, -1, 10**30, 1.5, 1e308, [], {}, ["a"], {"a": {"b": []}}]
LOOKUPS = ("", "__exact", "__regex", "__iregex", "__range", "__in", "__isnull", "__year", "__iso_year", "__contains",
           "__gte", "__date", "__time", "__week_day", "__foo", "__user__password", "__pk__exact")  # fmt: skip
_LETTERS = string.printable + "äß€的龘\u0000\u200b\U0001f600"


def value(dice: random.Random) -> str:
    """A value: ordinary in half of the cases."""
    kind = dice.random()
    if kind < 0.5:
        return dice.choice(ORDINARY)
    if kind < 0.8:
        return dice.choice(SEEDS)
    if kind < 0.9:
        return _changed(dice, dice.choice(SEEDS + ORDINARY))
    return "".join(dice.choices(_LETTERS, k=dice.choice((1, 3, 12, 80))))


def field(dice: random.Random) -> object:
    """A value of a JSON field, mostly a text."""
    return dice.choice(TYPES) if dice.random() < 0.3 else value(dice)


def _changed(dice: random.Random, text: str) -> str:
    place = dice.randrange(len(text) + 1)
    return text[:place] + dice.choice(_LETTERS) * dice.choice((1, 1, 40)) + text[place + dice.choice((0, 1)) :]
