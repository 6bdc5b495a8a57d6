"""Every failure of the simulated upstream, over real HTTP."""

import math
import socket
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from threading import Thread
from typing import Any

import pytest
import requests

from collection.sources.codebuddy.simulator.faults import LAST_ROW, WHOLE_ANSWERS
from collection.sources.codebuddy.simulator.simulator import FAULT_NAMES, Simulator
from tests.collection.simulator_client import WEEK, Client, in_week, simulator_at

MIB = 1024 * 1024


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    with simulator_at(accounts=2) as running:
        yield running


@pytest.fixture
def client(simulator: Simulator) -> Client:
    return Client(simulator)


def ids(rows: list[Any]) -> list[str]:
    return [row["requestId"] for row in rows]


def read_until_it_breaks(client: Client) -> None:
    with suppress(requests.RequestException), client.ask(stream=True) as answer:
        for _ in answer.iter_content(65536):
            continue


def read_all(connection: socket.socket) -> None:
    while connection.recv(65536):
        continue


# Failures that are a whole answer.

WHOLE = {
    "expired_401_html": (401, "<html>"),
    "expired_redirect": (302, "<html>"),
    "expired_html_200": (200, "<html>"),
    "expired_12153": (200, '{"code": 12153,'),
    "agent_refused": (403, '{"code": 10085,'),
    "cookie_too_large": (400, "<html>"),
    "bad_params": (400, '{"code": 10001,'),
    "api_code": (200, '{"code": 50012, "msg": "usage'),
    "not_found": (404, "<html>"),
    "overload_429": (429, "<html>"),
    "server_error": (500, "<html>"),
    "bad_gateway": (502, "<html>"),
    "unavailable": (503, "<html>"),
    "gateway_timeout": (504, "<html>"),
    "broken_json": (200, '{"code": 0,'),
    "redirect_loop": (307, "<html>"),
    "null_data": (200, '{"code": 0, "msg": "OK", "data": null}'),
    "wrong_types": (200, '{"code": 0, "msg": "OK", "data": ["a"'),
    "wrong_types_rows": (200, '{"code": 0, "msg": "OK", "data": {"total": 2, "data": "rows"'),
    "wrong_types_total": (200, '{"code": 0, "msg": "OK", "data": {"total": "many"'),
    "empty_data": (200, '{"code": 0, "msg": "OK", "data": {}}'),
    "other_form": (200, '{"code": 0, "data": {"list": ['),
    "wrong_types_body": (200, '["code"'),
}


@pytest.mark.parametrize("name", WHOLE_ANSWERS)
def test_a_whole_answer_fails_as_its_name_says(simulator: Simulator, client: Client, name: str) -> None:
    simulator.faults.fail(name)
    answer = client.ask()
    status, beginning = WHOLE[name]
    assert (answer.status_code, answer.text[: len(beginning)]) == (status, beginning)


def test_an_expired_session_is_sent_to_a_login_page(simulator: Simulator, client: Client) -> None:
    simulator.faults.fail("expired_redirect")
    assert client.ask().headers["Location"].startswith("/auth/realms/")
    assert client.ask(allow_redirects=True).text.startswith("<html>")


def test_a_redirect_loop_never_ends(simulator: Simulator, client: Client) -> None:
    simulator.faults.fail("redirect_loop")
    with pytest.raises(requests.TooManyRedirects):
        client.ask(allow_redirects=True)


@pytest.mark.parametrize("name", ["overload_429", "unavailable"])
@pytest.mark.parametrize("seconds", ["0", "1"])
def test_overload_says_when_to_come_back(simulator: Simulator, client: Client, name: str, seconds: str) -> None:
    simulator.faults.retry_after = seconds
    simulator.faults.fail(name)
    assert client.ask().headers["Retry-After"] == seconds


def test_overload_need_not_say_when_to_come_back(simulator: Simulator, client: Client) -> None:
    simulator.faults.retry_after = ""
    simulator.faults.fail("overload_429")
    assert "Retry-After" not in client.ask().headers


def test_broken_json_is_broken(simulator: Simulator, client: Client) -> None:
    simulator.faults.fail("broken_json")
    with pytest.raises(ValueError, match="Unterminated"):
        client.ask().json()


# Failures of one row, and of the count.

SPOILT: dict[str, Callable[[Any], bool]] = {
    "rows_without_id": lambda row: "requestId" not in row,
    "row_without_time": lambda row: "requestTime" not in row,
    "row_bad_time": lambda row: row["requestTime"] == "yesterday",
    "row_not_object": lambda row: type(row) is str,
    "lone_surrogate": lambda row: row["input"].endswith("\ud83d"),
    "nul_in_prompt": lambda row: "\x00" in row["input"],
    "nan_credit": lambda row: math.isnan(row["credit"]),
    "infinite_credit": lambda row: math.isinf(row["credit"]),
    "infinite_text_credit": lambda row: row["credit"] == "inf",
    "huge_credit": lambda row: row["credit"] > 1e6,
    "negative_credit": lambda row: row["credit"] < 0,
}


@pytest.mark.parametrize("name", LAST_ROW)
def test_the_last_row_is_spoilt_as_the_name_says(simulator: Simulator, client: Client, name: str) -> None:
    simulator.faults.fail(name)
    *good, bad = client.rows(size=10)
    assert ids(good) == [call.request_id for call in in_week(simulator)[:9]]
    assert SPOILT[name](bad)


def test_non_finite_credits_stand_in_the_json_as_they_would(simulator: Simulator, client: Client) -> None:
    assert '"credit": NaN' in client.ask(headers={"X-Simulate-Fault": "nan_credit"}).text
    assert '"credit": 1e400' in client.ask(headers={"X-Simulate-Fault": "infinite_credit"}).text


def test_a_page_without_rows_cannot_be_spoilt(simulator: Simulator, client: Client) -> None:
    simulator.faults.fail("rows_without_id")
    assert client.rows(("2020-01-01 00:00:00", "2020-01-02 00:00:00")) == []


def test_an_endless_total_is_never_reached(simulator: Simulator, client: Client) -> None:
    simulator.faults.fail("endless_total")
    answer = client.ask(page=500, size=50).json()["data"]
    assert answer["total"] > 500 * 50
    assert answer["data"]


def test_a_total_can_promise_more_than_there_is(simulator: Simulator, client: Client) -> None:
    simulator.faults.fail("total_too_large")
    assert client.ask().json()["data"]["total"] == len(in_week(simulator)) + 1000
    assert client.ask(page=99).status_code == 400


# Failures of the connection.


def test_a_reset_cuts_the_answer(simulator: Simulator) -> None:
    request = (
        f"POST {simulator.path} HTTP/1.1\r\nHost: a\r\nCookie: {simulator.cookie()}\r\nX-Simulate-Fault: reset\r\n"
    )
    body = f'{{"startTime": "{WEEK[0]}", "endTime": "{WEEK[1]}", "pageNum": 1, "pageSize": 5000}}'
    with socket.create_connection(("127.0.0.1", int(simulator.base_url.rsplit(":")[-1]))) as connection:
        connection.sendall(f"{request}Content-Length: {len(body)}\r\n\r\n{body}".encode())
        with pytest.raises(ConnectionResetError):
            read_all(connection)


def test_a_reset_is_a_connection_error_to_a_client(simulator: Simulator, client: Client) -> None:
    simulator.faults.fail("reset")
    with pytest.raises(requests.RequestException):
        client.ask()


def test_a_hanging_request_is_never_answered(simulator: Simulator, client: Client) -> None:
    simulator.faults.fail("hang")
    with pytest.raises(requests.ReadTimeout):
        client.ask(timeout=0.2)


def test_dripping_sends_a_byte_at_a_time(simulator: Simulator, client: Client) -> None:
    simulator.faults.drip_seconds = 0.01
    simulator.faults.fail("drip")
    start = time.perf_counter()
    with client.ask(size=1, stream=True) as answer:
        assert answer.raw.read(20) == b'{"code": 0, "msg": "'
    assert time.perf_counter() - start >= 0.15


def test_a_huge_body_is_as_large_as_set(simulator: Simulator, client: Client) -> None:
    simulator.faults.huge_bytes = 3 * MIB
    simulator.faults.fail("huge_body")
    answer = client.ask()
    assert len(answer.json()["data"]["data"][0]["input"]) == 3 * MIB
    assert "Content-Length" not in answer.headers


def test_a_huge_body_is_far_above_32_mib_unless_set(simulator: Simulator) -> None:
    assert simulator.faults.huge_bytes >= 100 * MIB


def test_a_gzip_bomb_is_small_until_unpacked(simulator: Simulator, client: Client) -> None:
    simulator.faults.huge_bytes = 8 * MIB
    simulator.faults.fail("gzip_bomb")
    with client.ask(stream=True) as answer:
        assert answer.headers["Content-Encoding"] == "gzip"
        packed = answer.raw.read(decode_content=False)
    assert len(packed) < MIB
    assert len(zlib.decompress(packed, wbits=31)) > 8 * MIB


@pytest.mark.parametrize("name", ["hang", "drip", "huge_body"])
def test_stopping_is_prompt_while_an_answer_is_under_way(simulator: Simulator, client: Client, name: str) -> None:
    simulator.faults.huge_bytes = 2**40
    simulator.faults.fail(name)
    asking = Thread(target=read_until_it_breaks, args=[client], daemon=True)
    asking.start()
    while not simulator.request_count:
        time.sleep(0.01)
    start = time.perf_counter()
    simulator.stop()
    asking.join(15)
    assert not asking.is_alive()
    assert time.perf_counter() - start < 15


def test_a_client_that_gives_up_leaves_the_others_alone(simulator: Simulator, client: Client) -> None:
    simulator.faults.fail("hang", times=1)
    with pytest.raises(requests.ReadTimeout):
        client.ask(timeout=0.1)
    assert client.ask().status_code == 200


def test_every_fault_is_tried_here() -> None:
    connection = {"reset", "hang", "drip", "huge_body", "gzip_bomb", "endless_total", "total_too_large"}
    assert set(FAULT_NAMES) == set(WHOLE) | set(SPOILT) | connection
