"""Hostile upstreams: each ends in one clear failure, within its deadline and its bounds."""

import json
from datetime import date

import pytest

from accounts import config
from accounts.models import INSTANCE, User
from collection.models import Run
from collection.reading import window_reader
from collection.sources.codebuddy.simulator.simulator import Simulator
from collection.sources.over_http import asking
from tests.collection.collector_run import collected, contents, set_up
from tests.collection.hostile_answers import GOOD, LOUD, NESTED, SILENT, endless_pages
from tests.collection.scripted_upstream import ScriptedUpstream, answer
from tests.collection.upstream_call import Asked

TOO_LARGE = "a single row is too large to be read"
WORDS = {
    "1 GB": TOO_LARGE,
    "1 GB without a length": TOO_LARGE,
    "chunks without end": TOO_LARGE,
    "a chunk of 1 TB": TOO_LARGE,
    "headers without end": "its headers are too long",
    "a header without end": "its headers are too long",
    "redirects without end": "leads to 127.0.0.1 (HTTP 307)",
    "JSON 100,000 deep": "its data is not an object",
    "JSON 31 MiB deep": TOO_LARGE,
    "3 MiB of empty lists": TOO_LARGE,
    "3 MiB of objects": TOO_LARGE,
    "3 MiB of numbers": TOO_LARGE,
    "as many values as are read": "it holds more than 10,000 rows",
    "less promised than sent": "it is not a JSON object",
}
# Of the same length as "3 MiB of objects".
AS_WELL, MORE = {"3 MiB of empty lists", "3 MiB of numbers"}, pytest.mark.thorough


@pytest.fixture
def one_try(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "WAITS", ())
    monkeypatch.setattr(asking, "TRIES", 1)


@pytest.mark.thorough
@pytest.mark.usefixtures("one_try")
@pytest.mark.parametrize("name", SILENT)
def test_who_never_ends_an_answer_is_left_at_the_deadline(name: str) -> None:
    asked = Asked(SILENT[name], timeout=0.4)
    assert asked.outcome == "api"
    assert "no whole answer within 0.4 s" in asked.message


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("name", [pytest.param(name, marks=MORE) if name in AS_WELL else name for name in WORDS])
def test_who_answers_too_much_or_nonsense_is_refused_at_once(name: str) -> None:
    asked = Asked(LOUD[name])
    assert (asked.outcome, asked.waits) == ("api", [])
    assert WORDS[name] in asked.message


def test_who_promises_more_than_comes_is_asked_again_and_then_refused() -> None:
    asked = Asked(LOUD["more promised than sent"])
    assert (asked.outcome, len(asked.server.requests)) == ("api", 5)
    assert "broke off" in asked.message


@pytest.mark.parametrize("status", [200, 400])
@pytest.mark.parametrize("field", ["code", "msg"])
def test_no_word_of_an_answer_reaches_a_terminal_or_the_store_as_it_is(status: int, field: str) -> None:
    said = {"code": "1", "msg": "no", field: "\x1b[31m\x07\u202e\ud83d x"}
    asked = Asked(answer(status, json.dumps(said).encode()))
    assert asked.outcome == "api"
    assert asked.message.isprintable()
    assert asked.message.encode()


@pytest.mark.parametrize(("rows", "are_read"), [(10_000, True), (10_001, False)])
def test_no_more_rows_are_read_than_a_page_can_hold(rows: int, are_read: bool) -> None:
    good = b'{"requestId": "a", "credit": 1, "requestTime": "2026-09-07 12:00:00"}'
    asked = Asked(answer(200, GOOD + b",".join([good, *[b"[]"] * (rows - 1)]) + b"]}}"))
    assert ("it holds more than 10,000 rows" in asked.message, asked.got is not None) == (not are_read, are_read)


def test_a_row_that_is_nested_100_000_deep_is_skipped_alone() -> None:
    deep = b'{"requestId": "deep", "input": "a [ and a \\" {", "credit": ' + NESTED + b"}"
    good = b'{"requestId": "a", "credit": 1, "requestTime": "2026-09-07 12:00:00", "input": "]]}"}'
    page = Asked(answer(200, b'{"code": 0, "data": {"total": 2, "data": [' + deep + b"," + good + b"]}}")).page
    assert [(record.request_id, record.prompt) for record in page.records] == [("a", "]]}")]
    assert [str(line) for line in page.skipped] == ["skipped row 1 of page 1: credit is not a finite number"]


def test_a_prompt_full_of_signs_is_a_prompt() -> None:
    prompt = b"[{,:" * 50_000
    row = b'{"requestId": "a", "credit": 1, "requestTime": "2026-09-07 12:00:00", "input": "' + prompt + b'"}'
    page = Asked(answer(200, GOOD + row + b"]}}"), size=1).page
    assert page.records[0].prompt == prompt.decode()


@pytest.mark.django_db
def test_pages_without_end_are_read_so_far_and_no_further(
    alice: User, upstream: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(window_reader, "MOST_ROWS", 100)
    set_up(alice, upstream, packages=0)
    with ScriptedUpstream(endless_pages) as server:
        config.write({"api_base": server.url}, archive_id=INSTANCE, may_edit_instance=True)
        run = collected(alice, date(2026, 9, 7)).run
    assert (run.status, run.exit_code, len(server.requests), len(contents(alice))) == (Run.Status.FAILED, 5, 8, 120)
    assert "do not end; 6 were read and stored" in run.message
