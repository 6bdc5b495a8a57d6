"""GET /logs/tail, and reading the log from its end: docs/api.md#log-tail."""

import os
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings

from accounts.models import User
from audit import application_log_tail
from audit.application_log_tail import last_lines
from audit.known_secrets import MASK, guard
from tests.factories import ApiClient

ApiOf = Callable[[User], ApiClient]
# No account of another test has this id.
ACCOUNT = 10**8


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "app.log"


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The log that the application serves, with 3,000 lines."""
    path = tmp_path / "logs" / "app.log"
    path.parent.mkdir()
    path.write_text("".join(f"line {number}\n" for number in range(3000)))
    folder = type(settings.DATA_FOLDER)(tmp_path)
    monkeypatch.setattr(settings, "DATA_FOLDER", folder)
    return path


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (b"", []),
        (b"one", ["one"]),
        (b"one\n", ["one"]),
        (b"one\ntwo", ["one", "two"]),
        (b"one\n\ntwo\n", ["one", "", "two"]),
        (b"\n", [""]),
        (b"\none\n", ["", "one"]),
        (b"one\r\ntwo\r\n", ["one", "two"]),
        (b"one\x0b\x0c\xc2\x85\xe2\x80\xa8still one\n", ["one\x0b\x0c\x85\u2028still one"]),
        (b"bad \xff\xc3\n", ["bad \ufffd\ufffd"]),
    ],
)
@pytest.mark.parametrize("block", [1, 2, 3, 64])
def test_lines_are_what_line_feeds_part(
    block: int, content: bytes, lines: list[str], log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(application_log_tail, "BLOCK", block)
    log.write_bytes(content)
    assert last_lines(log, 100) == lines


@pytest.mark.parametrize("block", [1, 5, 7, 1000])
def test_the_last_lines_are_given_oldest_first_wherever_a_block_begins(
    block: int, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(application_log_tail, "BLOCK", block)
    lines = [f"zeile {'ü' * number}" for number in range(20)]
    log.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    assert last_lines(log, 7) == lines[-7:]


def test_a_short_log_goes_on_in_its_rotated_files(log: Path) -> None:
    log.write_text("5\n6\n")
    log.with_name("app.log.1").write_text("3\n4\n")
    log.with_name("app.log.2").write_text("1\n2\n")
    assert last_lines(log, 5) == ["2", "3", "4", "5", "6"]
    assert last_lines(log, 2) == ["5", "6"]
    assert last_lines(log, 99) == ["1", "2", "3", "4", "5", "6"]


def test_the_order_of_rotated_files_is_that_of_their_numbers(log: Path) -> None:
    for number in range(1, 12):
        log.with_name(f"app.log.{number}").write_text(f"{number}\n")
    assert last_lines(log, 3) == ["3", "2", "1"]


def test_what_is_rotated_meanwhile_is_not_listed_twice(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log.write_text("2\n3\n")
    log.with_name("app.log.1").write_text("1\n")
    backwards = application_log_tail._backwards

    def rotating(file: int) -> object:
        yield from backwards(file)
        if not log.with_name("app.log.2").exists():
            log.with_name("app.log.1").rename(log.with_name("app.log.2"))
            log.rename(log.with_name("app.log.1"))

    log.with_name("app.log.lock").touch()
    monkeypatch.setattr(application_log_tail, "_backwards", rotating)
    assert last_lines(log, 10) == ["1", "2", "3"]


def test_a_missing_log_has_no_lines(log: Path) -> None:
    assert last_lines(log, 10) == []


def test_a_secret_that_reached_the_file_is_not_shown(log: Path) -> None:
    guard("a-s3cret-0f-this-pr0cess", account=ACCOUNT)
    log.write_text("password=hunter22\nsaid a-s3cret-0f-this-pr0cess\n")
    assert last_lines(log, 10) == [f"password={MASK}", f"said {MASK}"]


def test_a_secret_at_the_cut_of_a_long_line_is_not_shown_in_half(log: Path) -> None:
    secret = "a-s3cret-" * 1000
    guard(secret, account=ACCOUNT)
    log.write_text("x" * (application_log_tail.LINE_SHOWN - 100) + secret + "y" * 100_000 + "\n")
    (line,) = last_lines(log, 1)
    assert "s3cret" not in line
    assert MASK in line


@pytest.mark.parametrize(
    "length", [application_log_tail.LINE_SHOWN, application_log_tail.LINE_SHOWN + 1, 40 * 1024, 300 * 1024]
)
def test_a_long_line_is_cut_and_says_so(length: int, log: Path) -> None:
    log.write_text(f"before\n{'x' * length}\nafter\n")
    before, line, after = last_lines(log, 3)
    assert (before, after) == ("before", "after")
    assert line == (
        "x" * length
        if length <= application_log_tail.LINE_SHOWN
        else "x" * application_log_tail.LINE_SHOWN + application_log_tail.CUT
    )


def test_a_line_of_20_megabytes_takes_no_memory(log: Path) -> None:
    with log.open("wb") as file:
        file.write(b"first\n")
        for _ in range(20):
            file.write(b"x" * 1024**2)
        file.write(b"\nlast\n")
    tracemalloc.start()
    try:
        lines = last_lines(log, 3)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (lines[0], lines[2]) == ("first", "last")
    assert peak < 1024**2


def test_only_as_much_of_the_log_is_read_as_is_asked_for(log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log.write_text("a line of some length\n" * 100_000)
    read = 0
    pread = os.pread

    def counted(file: int, size: int, position: int) -> bytes:
        nonlocal read
        read += size
        return pread(file, size, position)

    monkeypatch.setattr(os, "pread", counted)
    assert len(last_lines(log, 200)) == 200
    assert read == application_log_tail.BLOCK


@pytest.mark.thorough
@pytest.mark.django_db
@pytest.mark.parametrize(
    ("asked", "count"),
    [
        ({}, 200), ({"lines": "7"}, 7), ({"lines": "0"}, 1), ({"lines": "-5"}, 1), ({"lines": "99999"}, 2000),
        ({"lines": "many"}, 200), ({"lines": ""}, 200), ({"lines": "1.5"}, 200), ({"lines": "9" * 5000}, 2000),
    ],
)  # fmt: skip
def test_the_number_of_lines_is_clamped_or_the_default(
    asked: dict[str, str], count: int, served: Path, root: User, api_of: ApiOf
) -> None:
    response = api_of(root).get("/logs/tail", **asked)
    lines = response.content.decode().splitlines()
    assert (len(lines), lines[-1]) == (count, "line 2999")


@pytest.mark.django_db
def test_the_tail_is_plain_text_that_is_not_stored(served: Path, root: User, api_of: ApiOf) -> None:
    response = api_of(root).get("/logs/tail", lines=1)
    assert response.status_code == 200
    assert response.headers["Content-Type"] == "text/plain; charset=utf-8"
    assert response.headers["Cache-Control"] == "no-store"
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.content == b"line 2999\n"


@pytest.mark.django_db
def test_only_administrators_may_read_the_log(
    served: Path, alice: User, root: User, anonymous: ApiClient, api_of: ApiOf
) -> None:
    response = anonymous.get("/logs/tail")
    assert (response.status_code, response.headers["Location"]) == (302, "/login?next=/logs/tail")
    refused = api_of(alice).get("/logs/tail")
    assert (refused.status_code, b"line 2999" in refused.content) == (403, False)
    assert api_of(root).post("/logs/tail").status_code == 405
