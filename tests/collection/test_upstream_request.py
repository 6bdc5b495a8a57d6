"""What the upstream client sends to a real HTTP server that plays a script, and the windows that it asks for."""

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from collection.sources.codebuddy.reader import Upstream
from tests.collection.scripted_upstream import ScriptedUpstream, answer, rows
from tests.collection.upstream_call import COOKIE, END, NEW_YORK, SHANGHAI, START, Asked, settings

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


def test_both_occurrences_of_the_servers_repeated_hour_are_distinguished() -> None:
    hour = window(new_york(2026, 11, 1, 1, 30), new_york(2026, 11, 1, 1, 30, fold=1), SHANGHAI)
    assert hour == ("2026-11-01 13:30:00", "2026-11-01 14:30:00")


def test_a_window_within_the_upstreams_repeated_hour_takes_all_of_its_clock() -> None:
    start, end = new_york(2026, 11, 1, 1, 50), new_york(2026, 11, 1, 1, 10, fold=1)
    assert window(start, end, NEW_YORK) == ("2026-11-01 00:50:00", "2026-11-01 02:10:00")
