"""The upstream client against a real HTTP server that plays a script."""

import gzip
import json
import ssl
import threading
import time
import tracemalloc
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from collection.upstream import client as client_module
from collection.upstream import wire
from collection.upstream.client import Upstream, UpstreamFailure, UpstreamStopped
from tests.collection.scripted_upstream import (
    ROW,
    ScriptedUpstream,
    Step,
    answer,
    drip,
    hang,
    raw,
    reset,
    rows,
    told,
)
from tests.collection.upstream_call import COOKIE, END, MARKER, SHANGHAI, START, Asked, settings

NEW_YORK = ZoneInfo("America/New_York")
HTML = "\ufeff\n <html>sign in</html>"
TOO_LARGE = "<html><head><title>400 Request Header Or Cookie Too Large</title></head></html>"


# The request


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("Cookie", COOKIE),
        ("User-Agent", "Mozilla/5.0 (Tést) 1.2.3"),
        ("Content-Type", "application/json"),
        ("Accept", "application/json"),
        ("X-Client-Platform", "web"),
    ],
)
def test_each_header_of_the_contract_is_sent(name: str, value: str) -> None:
    (request,) = Asked(rows({})).server.requests
    assert request.headers[name] == value


def test_origin_and_referer_name_the_host_itself() -> None:
    server = Asked(rows({})).server
    headers = server.requests[0].headers
    assert (headers["Origin"], headers["Referer"]) == (server.url, f"{server.url}/profile/plans-usage")


def test_an_empty_user_agent_is_replaced_by_the_default_one() -> None:
    (request,) = Asked(rows({}), user_agent="", default_user_agent="usage-archive/4.5.6").server.requests
    assert request.headers["User-Agent"] == "usage-archive/4.5.6"


def test_the_request_is_a_post_of_window_page_and_size() -> None:
    (request,) = Asked(rows({}), number=3).server.requests
    assert request.line == "POST /billing/meter/get-user-request-usage HTTP/1.1"
    assert request.body == {
        "startTime": "2026-08-31 00:00:00",
        "endTime": "2026-09-07 23:59:59",
        "pageNum": 3,
        "pageSize": 200,
    }


def test_the_callers_page_size_goes_before_the_settings() -> None:
    (request,) = Asked(rows({}), size=7).server.requests
    assert request.body["pageSize"] == 7


def test_nothing_of_the_environment_is_sent_along(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "netrc").write_text("machine 127.0.0.1 login someone password something\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    (request,) = Asked(rows({})).server.requests
    assert "Authorization" not in request.headers


def test_cookies_that_the_upstream_sets_are_ignored() -> None:
    with ScriptedUpstream(answer(200, '{"code":0,"data":null}', Set_Cookie="session=; Path=/")) as server:
        with Upstream(settings(server.url)) as client:
            client.page(START, END, 1)
            client.page(START, END, 1)
        assert [request.headers["Cookie"] for request in server.requests] == [COOKIE, COOKIE]


def test_the_connection_is_kept_between_pages() -> None:
    with ScriptedUpstream(rows({})) as server, Upstream(settings(server.url)) as client:
        for number in (1, 2, 3):
            client.page(START, END, number)
        assert (len(server.requests), server.connections) == (3, 1)


# Windows


def window(start: datetime, end: datetime, zone: ZoneInfo) -> tuple[str, str]:
    with ScriptedUpstream(rows({})) as server, Upstream(settings(server.url, upstream_zone=zone)) as client:
        client.page(start, end, 1)
        return server.requests[0].body["startTime"], server.requests[0].body["endTime"]


def new_york(*moment: int, fold: int = 0) -> datetime:
    return datetime(*moment, tzinfo=NEW_YORK, fold=fold)  # type: ignore[misc,arg-type]


def test_a_day_of_the_servers_spring_is_23_hours_of_the_upstreams() -> None:
    day = window(new_york(2026, 3, 8), new_york(2026, 3, 8, 23, 59, 59), SHANGHAI)
    assert day == ("2026-03-08 13:00:00", "2026-03-09 11:59:59")


def test_a_day_of_the_servers_autumn_is_25_hours_of_the_upstreams() -> None:
    day = window(new_york(2026, 11, 1), new_york(2026, 11, 1, 23, 59, 59), SHANGHAI)
    assert day == ("2026-11-01 12:00:00", "2026-11-02 12:59:59")


def test_both_occurrences_of_the_servers_repeated_hour_are_told_apart() -> None:
    hour = window(new_york(2026, 11, 1, 1, 30), new_york(2026, 11, 1, 1, 30, fold=1), SHANGHAI)
    assert hour == ("2026-11-01 13:30:00", "2026-11-01 14:30:00")


def test_a_window_within_the_upstreams_repeated_hour_takes_all_of_its_clock() -> None:
    start, end = new_york(2026, 11, 1, 1, 50), new_york(2026, 11, 1, 1, 10, fold=1)
    assert window(start, end, NEW_YORK) == ("2026-11-01 00:50:00", "2026-11-01 02:10:00")


# Answers


def test_a_page_tells_rows_total_and_the_moment_it_was_asked_for() -> None:
    before = datetime.now(UTC)
    page = Asked(rows({}, {"requestId": "crb-2", "credit": None}, total="363")).page
    assert (len(page.records), page.received, page.total, page.ended) == (1, 2, 363, False)
    assert [*map(str, page.skipped)] == ["skipped row 2 of page 1: credit is not a finite number"]
    assert before <= page.asked_at <= datetime.now(UTC)


def test_rows_are_told_in_the_servers_zone() -> None:
    page = Asked(rows({"requestTime": "2026-11-01 14:30:00"}), server_zone=NEW_YORK).page
    assert page.records[0].ts == "2026-11-01 01:30:00"


def test_a_page_past_the_end_is_the_end() -> None:
    page = Asked(told({"code": 10001, "msg": "invalid"}, 400), number=2).page
    assert (page.ended, page.received, page.records) == (True, 0, [])


def test_a_compressed_answer_is_read() -> None:
    body = gzip.compress(json.dumps({"code": 0, "data": {"total": 1, "data": [ROW]}}).encode())
    assert Asked(answer(200, body, Content_Encoding="gzip")).page.received == 1


# Failures


@pytest.mark.parametrize(
    "step",
    [
        answer(401, HTML),
        told({"code": 0, "data": None}, 401),
        answer(302, Location="https://sso.example/auth/realms/copilot/protocol?x=1"),
        answer(302, Location="/login?next=%2F"),
        answer(307, Location="https://login.example/"),
        answer(200, HTML),
        told({"code": 12153, "msg": "expired"}),
        told({"code": "12153", "msg": "expired"}, 403),
        told({"code": 12153, "msg": "expired"}, 500),
    ],
    ids=["401 html", "401", "realm", "login", "login host", "200 html", "12153", "12153 as text", "12153 in a 500"],
)
def test_what_says_that_the_cookie_expired_asks_to_paste_it_again(step: Step) -> None:
    asked = Asked(step)
    assert (asked.outcome, asked.waits) == ("cookie_expired", [])
    assert "paste the cookie again" in asked.message


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (told({"code": 10085, "msg": "no"}, 403), "user_agent must be exactly that of the browser"),
        (answer(400, TOO_LARGE), "leave out the others"),
        (answer(431, ""), "leave out the others"),
        (told({"code": 10001, "msg": "invalid"}, 400), "parameters of the request invalid"),
        (told({"code": 11000, "msg": "not today"}), "code 11000): not today"),
        (told({"msg": "no code"}), "code missing): no code"),
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


def test_a_redirect_is_not_followed_and_only_its_host_is_told() -> None:
    asked = Asked(answer(302, Location="https://elsewhere.example/path?token=1"))
    assert len(asked.server.requests) == 1
    assert "token" not in asked.message


def test_10001_on_a_later_page_under_another_status_is_a_refusal() -> None:
    assert Asked(told({"code": 10001, "msg": "invalid"}), number=2).outcome == "api"


# Another try


@pytest.mark.parametrize("status", [429, 500, 502, 503, 504])
def test_overload_is_tried_again(status: int) -> None:
    asked = Asked(answer(status, HTML), rows({}))
    assert asked.page.received == 1
    assert asked.notes == [f"HTTP {status}, waiting 2 s, try 2 of 5"]


def test_waits_grow_and_after_five_tries_it_is_an_api_failure() -> None:
    asked = Asked(answer(503))
    assert (asked.outcome, len(asked.server.requests), sum(asked.waits)) == ("api", 5, 2 + 4 + 8 + 16)
    assert "5 tries (HTTP 503)" in asked.message


@pytest.mark.parametrize("step", [reset, raw(b""), raw(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{")])
def test_a_connection_that_breaks_off_is_tried_again(step: Step) -> None:
    def broken(connection: Any, server: ScriptedUpstream) -> None:
        step(connection, server)
        connection.close() if step is reset else connection.shutdown(2)

    asked = Asked(broken, rows({}))
    assert asked.page.received == 1
    assert asked.notes == ["the connection to 127.0.0.1 failed or broke off, waiting 2 s, try 2 of 5"]


def test_a_host_that_nobody_serves_is_tried_again_and_named() -> None:
    with ScriptedUpstream(hang) as gone:
        pass
    client = Upstream(settings(gone.url), sleep=lambda seconds: None)
    with client, pytest.raises(UpstreamFailure, match="connection to 127.0.0.1 failed") as caught:
        client.page(START, END, 1)
    assert caught.value.outcome == "api"


@pytest.mark.parametrize(("asked", "waited"), [("7", 7), ("3600", 60), ("soon", 2), ("-1", 2)])
def test_retry_after_in_seconds_is_honoured_up_to_60(asked: str, waited: float) -> None:
    assert sum(Asked(answer(429, Retry_After=asked), rows({})).waits) == waited


@pytest.mark.parametrize("told", ["0", "1", "Mon, 07 Sep 2026 00:00:00 GMT"])
def test_a_retry_after_below_our_own_waits_does_not_stop_them_from_growing(told: str) -> None:
    assert sum(Asked(answer(429, Retry_After=told)).waits) == 2 + 4 + 8 + 16


def test_retry_after_as_a_date_is_honoured() -> None:
    until = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    assert 25 < sum(Asked(answer(503, Retry_After=until), rows({})).waits) <= 30


def test_the_moment_asked_for_is_that_of_the_try_that_was_answered() -> None:
    answered_after = []

    def late(connection: Any, server: ScriptedUpstream) -> None:
        answered_after.append(datetime.now(UTC))
        answer(503)(connection, server)

    assert Asked(late, rows({})).page.asked_at > answered_after[0]


def test_that_moment_is_told_by_the_clock_that_is_given() -> None:
    with ScriptedUpstream(rows({})) as server, Upstream(settings(server.url), now=lambda: END) as client:
        assert client.page(START, END, 1).asked_at == END


# Size


def by_size(connection: Any, server: ScriptedUpstream) -> None:
    """Answer like an upstream with six rows, the fourth of which is large."""
    size, number = server.requests[-1].body["pageSize"], server.requests[-1].body["pageNum"]
    wanted = range(6)[(number - 1) * size : number * size]
    if not wanted:
        return told({"code": 10001}, 400)(connection, server)
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


def test_a_single_row_above_the_cap_is_a_broken_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wire, "MAX_BODY", 500)
    asked = Asked(rows({"input": "x" * 999}), size=4)
    assert (asked.outcome, len(asked.server.requests)) == ("api", 3)


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


# Deadline and stop


@pytest.mark.parametrize(
    "step",
    [
        hang,
        drip(b""),
        drip(b"HTTP/1.1 200 OK\r\nX-Slow: "),
        drip(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n{"),
        drip(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n{"),
        drip(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n270f\r\n{"),
    ],
    ids=["silence", "status", "header", "body", "body to the end", "chunk"],
)
def test_the_timeout_is_a_deadline_for_the_request_as_a_whole(step: Step, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client_module, "WAITS", ())
    monkeypatch.setattr(client_module, "TRIES", 1)
    asked = Asked(step, timeout=0.4)
    assert "no whole answer within 0.4 s" in asked.message
    assert (asked.seconds < 0.8, asked.left) == (True, True)


def test_after_a_deadline_the_next_try_has_a_connection_of_its_own() -> None:
    asked = Asked(hang, rows({}), timeout=0.4)
    assert asked.page.received == 1
    assert asked.notes == ["no whole answer within 0.4 s, waiting 2 s, try 2 of 5"]


@pytest.mark.parametrize("step", [hang, drip(b""), drip(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n{")])
def test_a_request_that_hangs_is_stopped_within_a_second(step: Step) -> None:
    with ScriptedUpstream(step) as server:
        client = Upstream(settings(server.url, timeout=30.0), should_stop=lambda: bool(server.requests))
        started = time.monotonic()
        with pytest.raises(UpstreamStopped):
            client.page(START, END, 1)
        assert time.monotonic() - started < 1
        assert server.left.wait(1)


def test_a_wait_between_tries_is_stopped_within_half_a_second() -> None:
    naps: list[float] = []
    with ScriptedUpstream(answer(503, Retry_After="60")) as server:
        client = Upstream(settings(server.url), should_stop=lambda: len(naps) == 3, sleep=naps.append)
        with client, pytest.raises(UpstreamStopped):
            client.page(START, END, 1)
    assert naps == [0.5, 0.5, 0.5]


def test_a_stop_before_the_request_sends_nothing() -> None:
    with ScriptedUpstream(hang) as server:
        with pytest.raises(UpstreamStopped):
            Upstream(settings(server.url), should_stop=lambda: True).page(START, END, 1)
        assert server.requests == []


def test_the_stop_is_asked_for_in_the_callers_thread() -> None:
    threads: list[int] = []

    def stop() -> bool:
        threads.append(threading.get_ident())
        return len(threads) == 2

    with ScriptedUpstream(hang) as server, pytest.raises(UpstreamStopped):
        Upstream(settings(server.url), should_stop=stop).page(START, END, 1)
    assert threads == [threading.get_ident()] * 2


# TLS


@contextmanager
def self_signed(folder: Path, *steps: Step) -> Iterator[ScriptedUpstream]:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), 1, now - timedelta(1), now + timedelta(1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
        .sign(key, hashes.SHA256())
    )
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain)
    (folder / "server.pem").write_bytes(secret + certificate.public_bytes(pem))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "server.pem")
    with ScriptedUpstream(*steps, tls=context) as server:
        yield server


def test_a_certificate_that_is_not_trusted_is_an_api_failure_naming_the_setting(tmp_path: Path) -> None:
    with self_signed(tmp_path, rows({})) as server, Upstream(settings(server.url)) as client:
        with pytest.raises(UpstreamFailure, match="certificate of 127.0.0.1 is not trusted.*ssl_verify") as caught:
            client.page(START, END, 1)
        assert (caught.value.outcome, server.requests) == ("api", [])


def test_without_ssl_verify_any_certificate_will_do_and_nothing_is_warned_of(tmp_path: Path) -> None:
    with self_signed(tmp_path, rows({})) as server, warnings.catch_warnings(record=True) as warned:
        Upstream(settings(server.url, ssl_verify=False)).page(START, END, 1)
    assert (len(server.requests), warned) == (1, [])


@pytest.mark.parametrize("step", [hang, drip(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n{")])
def test_a_hanging_request_over_tls_is_stopped_too(tmp_path: Path, step: Step) -> None:
    with self_signed(tmp_path, step) as server:
        options = settings(server.url, ssl_verify=False, timeout=30.0)
        with pytest.raises(UpstreamStopped):
            Upstream(options, should_stop=lambda: bool(server.requests)).page(START, END, 1)
        assert server.left.wait(1)


# Secrets


@pytest.mark.parametrize(
    "step",
    [
        answer(401, HTML),
        told({"code": 5, "msg": f"bad cookie {COOKIE}"}),
        told({"code": 5, "msg": f"bad session {MARKER}"}),
        told({"code": MARKER, "msg": "odd code"}),
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
