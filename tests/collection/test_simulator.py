"""The simulated upstream: its request table and its answers, over real HTTP (docs/upstream.md#simulator)."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from decimal import Decimal
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
import requests

from collection.sources.codebuddy.simulator.simulator import SimulatedCall, Simulator
from tests.collection.simulator_client import NOW, SHANGHAI, WEEK, Client, in_week, simulator_at

TOMORROW = ("2026-09-08 00:00:00", "2026-09-09 23:59:59")


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    with simulator_at(accounts=2) as running:
        yield running


@pytest.fixture
def client(simulator: Simulator) -> Client:
    return Client(simulator)


def handmade(request_id: str, moment: datetime, prompt: str = "why?") -> SimulatedCall:
    return SimulatedCall(request_id=request_id, credits=Decimal("1.25"), time=moment, prompt=prompt)


# Rows and pages.


def test_a_row_says_what_the_call_was(simulator: Simulator, client: Client) -> None:
    simulator.add(0, handmade("a" * 32, datetime(2026, 9, 7, 23, 59), "x" * 300))
    assert client.rows()[0] == {
        "requestId": "a" * 32,
        "credit": 1.25,
        "model": "glm-5.3",
        "client": "WorkBuddy",
        "requestTime": "2026-09-07 23:59:00",
        "inputTrunc": "x" * 100,
        "input": "x" * 300,
        "agentPurpose": "conversation",
    }


def test_an_answer_carries_code_message_and_an_id(client: Client) -> None:
    answer = client.ask().json()
    assert (answer["code"], answer["msg"], len(answer["requestId"])) == (0, "OK", 32)


def test_rows_come_newest_first_and_complete(simulator: Simulator, client: Client) -> None:
    assert [row["requestId"] for row in client.rows()] == [call.request_id for call in in_week(simulator)]


def test_pages_together_are_the_whole_window(simulator: Simulator, client: Client) -> None:
    truth = [call.request_id for call in in_week(simulator)]
    pages = range(1, -(-len(truth) // 20) + 1)
    assert [row["requestId"] for page in pages for row in client.rows(page=page, size=20)] == truth


def test_the_total_counts_the_window(simulator: Simulator, client: Client) -> None:
    assert client.ask(size=1).json()["data"]["total"] == len(in_week(simulator))


def test_the_credits_add_up_to_the_truth(simulator: Simulator, client: Client) -> None:
    total = sum((Decimal(str(row["credit"])) for row in client.rows()), Decimal(0))
    assert total == sum(call.credits for call in in_week(simulator))


def test_both_ends_of_a_window_are_inclusive(simulator: Simulator, client: Client) -> None:
    simulator.add(0, handmade("first", datetime(2020, 1, 1)), handmade("last", datetime(2020, 1, 1, 0, 0, 9)))
    rows = client.rows(("2020-01-01 00:00:00", "2020-01-01 00:00:09"))
    assert [row["requestId"] for row in rows] == ["last", "first"]


def test_a_page_past_the_end_is_refused(client: Client) -> None:
    answer = client.ask(page=99)
    assert (answer.status_code, answer.json()["code"]) == (400, 10001)


@pytest.mark.parametrize("window", [TOMORROW, WEEK[::-1]], ids=["in the future", "wrong way round"])
def test_a_window_without_calls_has_a_total_of_none(client: Client, window: tuple[str, str]) -> None:
    answer = client.ask(window)
    assert (answer.status_code, answer.json()["data"]) == (200, {"total": 0, "data": []})


def test_a_call_that_is_not_made_yet_is_not_shown(simulator: Simulator, client: Client) -> None:
    simulator.add(0, handmade("soon", datetime(2026, 9, 7, 23, 59, 31)))
    assert "soon" not in {row["requestId"] for row in client.rows()}


def test_pages_are_no_longer_than_the_cap() -> None:
    with simulator_at(page_cap=30) as simulator:
        assert len(Client(simulator).rows(size=5000)) == 30


def test_a_window_of_32_days_comes_without_prompts(client: Client) -> None:
    rows = client.rows(("2026-08-07 00:00:00", "2026-09-07 23:59:59"))
    assert not any({"input", "inputTrunc", "agentPurpose"} & set(row) for row in rows)


def test_a_window_of_31_days_comes_with_prompts(client: Client) -> None:
    assert all("input" in row for row in client.rows(("2026-08-08 00:00:00", "2026-09-07 23:59:59")))


def test_prompts_older_than_32_days_are_gone(simulator: Simulator, client: Client) -> None:
    simulator.add(0, handmade("old", datetime(2026, 8, 6, 23, 59)), handmade("younger", datetime(2026, 8, 7)))
    younger, old = client.rows(("2026-08-06 00:00:00", "2026-08-07 00:00:00"))
    assert younger["input"] == "why?"
    assert "input" not in old


# Requests and credentials.


def test_only_its_path_is_known(simulator: Simulator, client: Client) -> None:
    assert client.session.post(f"{simulator.base_url}/v2{simulator.path}", json={}).status_code == 404


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH", "OPTIONS", "HEAD"])
def test_only_post_is_answered(simulator: Simulator, client: Client, method: str) -> None:
    assert client.session.request(method, simulator.base_url + simulator.path).status_code == 404


@pytest.mark.parametrize("changes", [{"pageNum": 0}, {"pageSize": "50"}, {"startTime": "today"}, {"endTime": None}])
def test_invalid_parameters_are_refused(client: Client, changes: dict[str, object]) -> None:
    body = {"startTime": WEEK[0], "endTime": WEEK[1], "pageNum": 1, "pageSize": 50} | changes
    answer = client.ask(body=body)
    assert (answer.status_code, answer.json()["code"]) == (400, 10001)


def test_a_body_that_is_not_json_is_refused(simulator: Simulator, client: Client) -> None:
    answer = client.session.post(simulator.base_url + simulator.path, data="no json")
    assert (answer.status_code, answer.json()["code"]) == (400, 10001)


def test_the_cookie_picks_the_account(simulator: Simulator) -> None:
    rows = Client(simulator, account=1).rows()
    assert [row["requestId"] for row in rows] == [call.request_id for call in in_week(simulator, 1)]


def test_a_cookie_names_its_account_and_its_end(simulator: Simulator) -> None:
    session, end, _ = simulator.cookie(1).removeprefix("session=").split(";")[0].split("|")
    assert session.startswith("sim00001-")
    assert timedelta(days=7) <= datetime.fromtimestamp(int(end), SHANGHAI) - NOW <= timedelta(days=8)


def test_a_cookie_is_the_same_after_a_restart(simulator: Simulator) -> None:
    assert simulator_at(accounts=2).cookie(1) == simulator.cookie(1)


@pytest.mark.parametrize("change", [("sim00000-", "sim00009-"), ("|", "|9"), ("session=", "other="), ("|", " ")])
def test_an_unknown_cookie_gets_the_gateways_page(client: Client, change: tuple[str, str]) -> None:
    cookie = client.simulator.cookie().replace(*change)
    answer = client.ask(headers={"Cookie": cookie})
    assert (answer.status_code, answer.text[:6]) == (401, "<html>")


def test_a_cookie_ends() -> None:
    clock = [NOW]
    with Simulator(days=1, now=lambda: clock[0]) as simulator:
        clock[0] += timedelta(days=8)
        assert Client(simulator).ask().status_code == 401


def test_a_large_cookie_is_refused(client: Client) -> None:
    answer = client.ask(headers={"Cookie": client.simulator.cookie() + "; more=" + "x" * 8192})
    assert answer.status_code == 400
    assert "Request Header Or Cookie Too Large" in answer.text


def test_another_user_agent_is_refused(simulator: Simulator, client: Client) -> None:
    simulator.user_agent = "Mozilla/5.0 (Macintosh) 141"
    answer = client.ask(headers={"User-Agent": "Mozilla/5.0 (Macintosh) 142"})
    assert (answer.status_code, answer.json()["code"]) == (403, 10085)


def test_the_right_user_agent_is_accepted(simulator: Simulator, client: Client) -> None:
    simulator.user_agent = "Mozilla/5.0 (Macintosh) 141"
    assert client.ask(headers={"User-Agent": simulator.user_agent}).status_code == 200


def test_answers_clear_the_session_cookie(client: Client) -> None:
    assert client.ask().headers["Set-Cookie"].startswith("session=; ")


def test_requests_are_remembered_and_counted(simulator: Simulator, client: Client) -> None:
    client.ask(page=1)
    client.ask(page=2, headers={"X-Client-Platform": "web"})
    seen = simulator.requests_seen[-1]
    assert (seen.method, seen.path, seen.headers["X-Client-Platform"]) == ("POST", simulator.path, "web")
    assert seen.body is not None
    assert (seen.body["pageNum"], simulator.request_count) == (2, 2)


# The server.


def test_a_connection_is_kept_for_the_next_request(simulator: Simulator) -> None:
    connection = HTTPConnection(urlsplit(simulator.base_url).netloc)
    sockets = set()
    for _ in range(2):
        connection.request("POST", simulator.path, headers={"Cookie": simulator.cookie()})
        connection.getresponse().read()
        sockets.add(connection.sock)
    assert len(sockets - {None}) == 1
    connection.close()


def test_stopping_ends_idle_connections_too(simulator: Simulator, client: Client) -> None:
    client.ask()
    simulator.stop()
    with pytest.raises(requests.ConnectionError):
        client.ask()


def test_a_stopped_simulator_starts_again_on_the_same_port(simulator: Simulator, client: Client) -> None:
    url = simulator.base_url
    simulator.stop()
    simulator.start()
    assert simulator.base_url == url
    assert client.ask().status_code == 200


def test_it_listens_on_loopback_only() -> None:
    with pytest.raises(ValueError, match="loopback"):
        Simulator(host="0.0.0.0")
