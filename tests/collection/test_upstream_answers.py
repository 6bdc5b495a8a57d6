"""How the upstream client reads answers: pages, failures, sizes, and no secret in a message."""

import gzip
import json
import tracemalloc
from datetime import UTC, datetime
from typing import Any

import pytest

from collection.sources.over_http import numbered_pages, wire
from tests.collection.scripted_upstream import ROW, ScriptedUpstream, Step, answer, in_json, raw, rows
from tests.collection.upstream_call import COOKIE, HTML, MARKER, NEW_YORK, Asked, settings

TOO_LARGE = "<html><head><title>400 Request Header Or Cookie Too Large</title></head></html>"


# Answers


def test_a_page_has_rows_total_and_the_moment_it_was_asked_for() -> None:
    before = datetime.now(UTC)
    page = Asked(rows({}, {"requestId": "crb-2", "credit": None}, total="363")).page
    assert (len(page.records), page.received, page.total, page.ended) == (1, 2, 363, False)
    assert [*map(str, page.skipped)] == ["skipped row 2 of page 1: credit is not a finite number"]
    assert before <= page.asked_at <= datetime.now(UTC)


def test_rows_are_in_the_servers_zone() -> None:
    page = Asked(rows({"requestTime": "2026-11-01 14:30:00"}), server_zone=NEW_YORK).page
    assert page.records[0].ts == "2026-11-01 01:30:00"


def test_a_page_past_the_end_is_the_end() -> None:
    page = Asked(in_json({"code": 10001, "msg": "invalid"}, 400), number=2).page
    assert (page.ended, page.received, page.records) == (True, 0, [])


def test_a_compressed_answer_is_read() -> None:
    body = gzip.compress(json.dumps({"code": 0, "data": {"total": 1, "data": [ROW]}}).encode())
    assert Asked(answer(200, body, Content_Encoding="gzip")).page.received == 1


# Failures


@pytest.mark.parametrize(
    "step",
    [
        answer(401, HTML),
        in_json({"code": 0, "data": None}, 401),
        answer(302, Location="https://sso.example/auth/realms/copilot/protocol?x=1"),
        answer(302, Location="/login?next=%2F"),
        answer(307, Location="https://login.example/"),
        answer(200, HTML),
        in_json({"code": 12153, "msg": "expired"}),
        in_json({"code": "12153", "msg": "expired"}, 403),
        in_json({"code": 12153, "msg": "expired"}, 500),
    ],
    ids=["401 html", "401", "realm", "login", "login host", "200 html", "12153", "12153 as text", "12153 in a 500"],
)
def test_what_says_that_the_cookie_expired_asks_to_paste_it_again(step: Step) -> None:
    asked = Asked(step)
    assert (asked.outcome, asked.waits) == ("refused", [])
    assert "paste the cookie again" in asked.message


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (in_json({"code": 10085, "msg": "no"}, 403), "user_agent must be exactly that of the browser"),
        (answer(400, TOO_LARGE), "leave out the others"),
        (answer(431, ""), "leave out the others"),
        (in_json({"code": 10001, "msg": "invalid"}, 400), "parameters of the request invalid"),
        (in_json({"code": 11000, "msg": "not today"}), "code 11000): not today"),
        (in_json({"msg": "no code"}), "it has no code. The keys that came: msg."),
        (answer(404, HTML), "check api_path and the host"),
        (answer(403, "blocked"), "check user_agent"),
        (answer(418, ""), "HTTP 418"),
        (answer(204, ""), "HTTP 204"),
        (
            answer(301, Location="https://user:word@elsewhere.example/path?token=1"),
            "leads to elsewhere.example (HTTP 301",
        ),
        (answer(302, Location="http://[bad"), "no readable address"),
        (answer(302), "leads nowhere"),
        (answer(200, '{"code": 0, "data": {'), "broken"),
        (answer(200, b"no gzip", Content_Encoding="gzip"), "cannot be decompressed"),
        (rows({"requestId": None}), "none of its rows has a requestId"),
    ],
)
def test_every_other_refusal_is_an_api_failure_that_helps(step: Step, words: str) -> None:
    asked = Asked(step)
    assert (asked.outcome, asked.waits) == ("api", [])
    assert words in asked.message


def test_a_redirect_is_not_followed_and_only_its_host_is_named() -> None:
    asked = Asked(answer(302, Location="https://elsewhere.example/path?token=1"))
    assert len(asked.server.requests) == 1
    assert "token" not in asked.message


def test_10001_on_a_later_page_under_another_status_is_a_refusal() -> None:
    assert Asked(in_json({"code": 10001, "msg": "invalid"}), number=2).outcome == "api"


# Size


def by_size(connection: Any, server: ScriptedUpstream) -> None:
    """Answer like an upstream with six rows; the fourth is large."""
    size, number = server.requests[-1].body["pageSize"], server.requests[-1].body["pageNum"]
    wanted = range(6)[(number - 1) * size : number * size]
    if not wanted:
        return in_json({"code": 10001}, 400)(connection, server)
    return rows(*({"requestId": f"r{n}", "input": "x" * (900 if n == 3 else 9)} for n in wanted), total=6)(
        connection, server
    )


@pytest.mark.parametrize("size", [2, 3, 4, 5, 6, 7, 200])
@pytest.mark.parametrize("cap", [1_200, 1_500])
def test_a_page_above_the_cap_is_asked_for_in_parts(monkeypatch: pytest.MonkeyPatch, size: int, cap: int) -> None:
    monkeypatch.setattr(wire, "MAX_BODY", cap)
    page = Asked(by_size, size=size).page
    assert [record.request_id for record in page.records] == [f"r{n}" for n in range(min(size, 6))]
    assert (page.received, page.total, page.ended) == (min(size, 6), 6, False)


def test_a_later_page_in_parts_keeps_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "MAX_BODY", 1_200)
    asked = Asked(by_size, number=2, size=2)
    assert [record.request_id for record in asked.page.records] == ["r2", "r3"]
    assert asked.notes == ["page 2 is too large, asked again as 2 pages of 1"]


@pytest.mark.parametrize("size", [4, 5, 6, 7, 200])
def test_a_single_row_above_the_cap_costs_only_itself(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(wire, "MAX_BODY", 800)
    page = Asked(by_size, size=size).page
    assert [record.request_id for record in page.records] == [f"r{n}" for n in range(min(size, 6)) if n != 3]
    assert (page.received, page.total, page.ended, page.is_counted) == (min(size, 6), 6, False, True)
    assert [str(line) for line in page.skipped] == [
        "skipped row 1 of page 4: a single row is too large to be read",
    ]


@pytest.mark.parametrize(("size", "requests"), [(1, 1), (4, 7), (200, 20)])
def test_an_answer_of_nothing_but_such_rows_is_broken(
    monkeypatch: pytest.MonkeyPatch, size: int, requests: int
) -> None:
    monkeypatch.setattr(wire, "MAX_BODY", 500)
    asked = Asked(rows({"input": "x" * 999}), size=size)
    assert (asked.outcome, "too large" in asked.message) == ("api", True)
    assert requests <= len(asked.server.requests) < requests + numbered_pages.MOST_ROWS_TOO_LARGE


def test_a_prompt_of_more_signs_than_values_are_read_is_one_value() -> None:
    prompt = '1,2,"3",4:[{' * 30_000
    page = Asked(rows({"input": prompt}, {"requestId": "other"}), size=1).page
    assert [record.prompt == prompt for record in page.records] == [True, False]


@pytest.mark.thorough_after(2)
@pytest.mark.parametrize("end", ["", '"', "\\", '"}]}}', "[", "x" * 9_000_000])
def test_values_are_counted_in_one_pass_however_the_body_ends(end: str) -> None:
    texts = '"a,b:c[d{",' * 200_000
    assert not wire._has_too_many_values(bytearray(f"[{texts}{end}".encode()))
    assert wire._has_too_many_values(bytearray(f"[{texts}{'1,' * 60_000}{end}".encode()))


@pytest.mark.parametrize("chunked", [False, True])
def test_a_gzip_bomb_is_never_inflated_beyond_the_cap(monkeypatch: pytest.MonkeyPatch, chunked: bool) -> None:
    monkeypatch.setattr(wire, "MAX_BODY", 1024**2)
    bomb = gzip.compress(bytes(64 * 1024**2))
    head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n"
    if chunked:
        step = raw(head + b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(bomb), bomb))
    else:
        step = answer(200, bomb, Content_Encoding="gzip")
    tracemalloc.start()
    asked = Asked(step, size=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (asked.outcome, peak < 6 * 1024**2) == ("api", True)


# Secrets


@pytest.mark.parametrize(
    "step",
    [
        answer(401, HTML),
        in_json({"code": 5, "msg": f"bad cookie {COOKIE}"}),
        in_json({"code": 5, "msg": f"bad session {MARKER}"}),
        in_json({"code": MARKER, "msg": "odd code"}),
        answer(302, Location=f"https://elsewhere.example/{MARKER}"),
        answer(302, Location=f"https://{MARKER}.example/"),
        answer(503, MARKER),
        rows({"requestId": MARKER, "credit": MARKER}),
    ],
)
def test_no_message_note_or_skipped_row_holds_the_cookie(step: Step) -> None:
    asked = Asked(step)
    skipped = asked.got.skipped if asked.got else []
    assert MARKER not in repr((asked.failure, asked.message, asked.notes, skipped))


def test_a_cookie_that_no_header_takes_is_an_api_failure_without_it() -> None:
    asked = Asked(rows({}), cookie=f"session={MARKER}\n中")
    assert (asked.outcome, MARKER in repr(asked.failure)) == ("api", False)


def test_a_failure_carries_no_error_that_quotes_the_request() -> None:
    failure = Asked(rows({}), cookie=f"session={MARKER}\n中").failure
    assert failure is not None
    assert (failure.__cause__, failure.__context__) == (None, None)


def test_the_settings_do_not_show_the_cookie() -> None:
    assert MARKER not in repr(settings("http://127.0.0.1"))
