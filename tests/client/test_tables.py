"""Tables on a terminal: width, cuts, hostile texts; and the checks by themselves."""

import io
import json
import os
import subprocess
from collections.abc import Mapping
from typing import Any

import pytest

from archive_site.client.checks import missing_days, wrong_with_credential
from archive_site.client.outcome import ExitCode
from archive_site.client.screen import Screen, cut, one_line, safe_json, width
from archive_site.client.tables import Column, Table, number
from tests.client.conftest import COMMAND, ROOT, ScriptedServer
from tests.client.test_failures import TOKEN, answer


class Terminal(io.StringIO):
    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


def shown(columns: int, rows: list[tuple[str, ...]], environ: Mapping[str, str]) -> list[str]:
    out = Terminal()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", str(columns))
        table = Table(Screen(out, io.StringIO(), environ), number("credits"), Column("model"), Column("prompt"))
    table.add(rows)
    return out.getvalue().splitlines()


def test_columns_are_aligned_by_what_a_terminal_shows() -> None:
    lines = shown(60, [("1.5", "模型", "一"), ("100.0", "glm", "b")], {"NO_COLOR": "1"})
    assert lines == ["credits  model  prompt", "    1.5  模型   一", "  100.0  glm    b"]


@pytest.mark.parametrize("columns", [20, 33, 80])
def test_no_line_is_wider_than_the_terminal(columns: int) -> None:
    lines = shown(columns, [("1.5", "模型" * 50, "提示" * 500)], {"NO_COLOR": "1"})
    assert all(width(line) <= columns for line in lines)
    assert lines[1].endswith("…")


def test_colours_only_where_they_are_wanted() -> None:
    assert "\x1b[1m" in shown(80, [], {})[0]
    assert "\x1b" not in shown(80, [], {"NO_COLOR": "1"})[0] + shown(80, [], {"TERM": "dumb"})[0]


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("a\x1b]0;x\x07b", "a\ufffd]0;x\ufffdb"),
        ("a\r\n\tb", "a b"),
        ("a\u202eb", "ab"),
        ("\x9b31m", "\ufffd31m"),
        ("\ud800", "\ufffd"),
    ],
)
def test_no_text_is_obeyed_by_a_terminal(text: str, safe: str) -> None:
    assert one_line(text) == safe


@pytest.mark.parametrize(
    ("text", "columns", "found"), [("模型x", 4, "模…"), ("abc", 3, "abc"), ("e\u0301a", 2, "e\u0301a")]
)
def test_a_cut_counts_wide_letters_twice_and_marks_not_at_all(text: str, columns: int, found: str) -> None:
    assert cut(text, columns, "…") == found


@pytest.mark.parametrize("ascii_only", [False, True])
def test_json_stays_the_same_value(ascii_only: bool) -> None:
    value = ["模型 \x9b \u202e \U0001f600", 0.1]
    text = safe_json(json.dumps(value, ensure_ascii=False), ascii_only=ascii_only)
    assert json.loads(text) == value
    assert "\x9b" not in text
    assert text.isascii() or not ascii_only


def test_a_reader_that_goes_away_ends_it_silently(scripted: ScriptedServer) -> None:
    scripted.answers = [answer("200 OK", json.dumps(["x" * 1_000_000]), Archive_Account="1")]
    words = [*COMMAND, "top", "--json", "--server", scripted.url, "--token", TOKEN]
    with subprocess.Popen(words, cwd=ROOT, env=os.environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == ExitCode.BROKEN_PIPE


STATUS: dict[str, Any] = {
    "cookie_broken": False, "cookie_set": True, "cookie_refused": False, "cookie_expires_at": None,
    "server_time": "2026-09-08 12:00:00", "last_run": None,
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, ""),
        ({"cookie_broken": True, "cookie_set": False}, "cannot be read"),
        ({"cookie_set": False}, "no cookie"),
        ({"cookie_refused": True}, "refused"),
        ({"cookie_expires_at": "2026-09-08 11:00:00"}, "ended on"),
        ({"cookie_expires_at": "2026-09-08 13:00:00"}, ""),
        (
            {
                "cookie_expires_at": "2026-09-08 11:00:00",
                "last_run": {"status": "ok", "started_at": "2026-09-08 11:30:00"},
            },
            "",
        ),
        ({"cookie_set": False, "token": {"broken": False, "expires_at": None}}, ""),
        ({"cookie_refused": True, "token": {"broken": False, "expires_at": "2026-12-01 00:00:00"}}, ""),
        ({"cookie_set": False, "token": {"broken": True, "expires_at": None}}, "the token cannot be read"),
        ({"token": {"broken": True, "expires_at": None}}, ""),
        ({"cookie_set": False, "token": {"broken": False, "expires_at": "2026-09-08 11:00:00"}}, "the token ended on"),
        (
            {
                "cookie_set": False,
                "token": {"broken": False, "expires_at": None},
                "last_run": {"status": "failed", "started_at": "2026-09-08 11:30:00", "exit_code": 4},
            },
            "the token was refused",
        ),
    ],
)
def test_what_is_wrong_with_a_credential(change: dict[str, Any], words: str) -> None:
    found = wrong_with_credential(STATUS | change)
    assert words in found
    assert bool(found) == bool(words)


@pytest.mark.parametrize(
    ("states", "run", "missing"),
    [
        ("unasked unasked unasked unasked unasked open", "ok", []),
        ("unasked checked settled checked checked open", "ok", []),
        ("unasked checked unasked checked unasked open", "ok", ["2026-09-05"]),
        ("checked checked checked checked unasked open", "failed", ["2026-09-07"]),
        ("checked checked unasked unasked unasked open", "ok", ["2026-09-05", "2026-09-06"]),
        ("checked short surplus stripped unreachable open", "ok", ["2026-09-04"]),
        ("checked unconfirmed unconfirmed checked checked open", "ok", []),
        ("checked unasked! unasked checked checked open", "ok", ["2026-09-05"]),
        ("erased unasked unasked checked checked open", "ok", []),
        ("erased# unasked unasked checked checked open", "ok", ["2026-09-04", "2026-09-05"]),
    ],
)
def test_which_days_are_missing(states: str, run: str, missing: list[str]) -> None:
    days = [
        {
            "d": f"2026-09-0{3 + place}",
            "state": state.rstrip("!#"),
            "upstream": 7 if state.endswith("#") else None,
            **({"final": True} if state.endswith("!") else {}),
        }
        for place, state in enumerate(states.split())
    ]
    assert missing_days({"days": days}, STATUS | {"last_run": {"status": run}}) == missing
