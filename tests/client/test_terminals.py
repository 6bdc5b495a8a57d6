"""The command on a real terminal, which has a width and colours, beside a pipe, which has none."""

import json
import os
import pty
import re
import termios

import pytest

from archive_site.client.screen import width
from tests.client.conftest import ScriptedServer, Start
from tests.client.test_failures import TOKEN, answer

RECORDS = [
    {"ts": f"2026-09-08 12:00:0{place}", "credits": 0.000001, "model": "a-model-with-a-name", "client": "a-client" * 9,
     "prompt": "模型 \x1b[31m" * 90}
    for place in range(3)
]  # fmt: skip
PAGE = {"items": RECORDS, "total": 9, "pages": 1, "next": None}
PLAIN = {"NO_COLOR": "", "COLUMNS": "", "TERM": "xterm", "PYTHONIOENCODING": "utf-8"}


def on_terminal(start: Start, columns: int, *words: str) -> str:
    """What the command writes to a terminal of this width."""
    terminal, program = pty.openpty()
    termios.tcsetwinsize(program, (24, columns))
    process = start(*words, stdout=program, **PLAIN)
    os.close(program)
    parts = []
    # At the end of the program Linux answers with an error, and others with nothing.
    try:
        while part := os.read(terminal, 65536):
            parts.append(part)
    except OSError:
        pass
    finally:
        os.close(terminal)
    assert process.wait(timeout=30) == 0
    return b"".join(parts).decode()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("verb", "columns"),
    [("records", 20), *((verb, columns) for verb in ("records", "top") for columns in (40, 75, 76))],
)
def test_times_are_whole_at_any_width_and_no_line_is_wider(
    start: Start, scripted: ScriptedServer, verb: str, columns: int
) -> None:
    short = [{"c": 0.5, "t": item["ts"], "m": item["model"], "cl": item["client"], "px": "p"} for item in RECORDS]
    page: object = PAGE if verb == "records" else short
    scripted.answers = [answer("200 OK", json.dumps(page), Archive_Account="1")]
    text = on_terminal(start, columns, verb, "--server", scripted.url, "--token", TOKEN)
    lines = re.sub(r"\x1b\[[0-9]*m", "", text).splitlines()
    assert all(width(line) <= columns for line in lines[:4])
    assert [str(item["ts"]) in line for item, line in zip(RECORDS, lines[1:4], strict=True)] == [True] * 3


def test_a_terminal_has_bold_titles_and_a_hint_and_a_pipe_has_all_of_each_text(
    start: Start, scripted: ScriptedServer
) -> None:
    scripted.answers = [answer("200 OK", json.dumps(PAGE), Archive_Account="1")]
    words = ("records", "--limit", "3", "--server", scripted.url, "--token", TOKEN)
    shown = on_terminal(start, 80, *words)
    piped = start(*words, **PLAIN).communicate(timeout=30)[0]
    assert shown.startswith("\x1b[1mtime ")
    assert "3 of 9 calls" in shown
    assert "\x1b" not in piped
    assert "of 9 calls" not in piped
    assert "a-client" * 9 not in shown
    assert "a-client" * 9 in piped
    assert piped.count("模型") == 3 * 90
