"""An account has a few reads at once; its others wait without a thread (docs/decisions/web.md#turns-of-an-account)."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from accounts.models import User
from archive_site.lib.http import account_turns
from archive_site.lib.http.account_turns import (
    AT_ONCE,
    COME_AGAIN,
    MOST_UNSENT,
    WHEN_SENT,
    ComesAgain,
    take_turns,
)
from archive_site.serving import client_state, web_server
from archive_site.serving.slow_clients import Connection
from tests.archive_site.commands import wait_until
from tests.archive_site.small_site import Site, everything


@pytest.fixture(autouse=True)
def nothing_left() -> Iterator[None]:
    """No read stays counted, and none waits."""
    yield
    turns = account_turns._turns
    assert not [*turns._running, *turns._unsent, *turns._waiting]


def nothing() -> None:
    """What a request calls when it is done, where nobody waits."""


class Reads:
    """Requests that are answered one within the other, so that all before it run."""

    def __init__(self) -> None:
        self.called: list[str] = []
        self.answered: list[str] = []
        # Those whose client leaves while they wait.
        self.gone: set[str] = set()
        # What is called when answers are sent, where they are not sent at once.
        self.sends_later = False
        self.unsent: list[Callable[[], None]] = []
        self.call_next: Callable[[], None] = nothing

    def ask(
        self, name: str, then: Callable[[], object] = bool, account: int | None = 1, method: str = "GET"
    ) -> HttpResponse:
        request = RequestFactory().generic(method, "/api/records")
        request.user = User(pk=account)
        request.META[COME_AGAIN] = partial(self.come, name)
        if self.sends_later:
            request.META[WHEN_SENT] = self.unsent.append

        def view(request: HttpRequest) -> HttpResponse:
            then()
            self.answered.append(name)
            return HttpResponse()

        return take_turns(view)(request)

    def come(self, name: str, call_next: Callable[[], None]) -> bool:
        self.called.append(name)
        self.call_next = call_next
        return name not in self.gone

    def beside(self, running: int, then: Callable[[], object]) -> None:
        """Call `then` while that number of reads of the first account runs."""
        if running:
            self.ask(f"running {running}", lambda: self.beside(running - 1, then))
        else:
            then()


@pytest.fixture
def reads() -> Reads:
    return Reads()


def test_one_more_waits_and_comes_again_when_another_is_done(reads: Reads) -> None:
    def ask_more() -> None:
        for name in ("first", "second"):
            with pytest.raises(ComesAgain):
                reads.ask(name)
        assert (reads.called, reads.answered) == ([], [])

    reads.beside(AT_ONCE, ask_more)
    assert reads.called == ["first", "second"]
    reads.ask("first")
    assert reads.answered[-1] == "first"


def test_who_left_is_passed_over(reads: Reads) -> None:
    def ask_more() -> None:
        for name in ("left", "left too", "stays", "later"):
            with pytest.raises(ComesAgain):
                reads.ask(name)

    reads.gone = {"left", "left too"}
    reads.beside(AT_ONCE, ask_more)
    assert reads.called == ["left", "left too", "stays", "later"]
    assert len(reads.answered) == AT_ONCE


def test_who_leaves_before_its_turn_is_taken_lets_the_next_one_come(
    reads: Reads, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(account_turns, "AT_ONCE", 1)

    def ask_more() -> None:
        for name in ("leaves", "stays"):
            with pytest.raises(ComesAgain):
                reads.ask(name)

    reads.ask("running", ask_more)
    assert reads.called == ["leaves"]
    reads.call_next()
    assert reads.called == ["leaves", "stays"]


def test_writes_have_turns_of_their_own(reads: Reads) -> None:
    def write_beside(running: int) -> None:
        if running < AT_ONCE:
            reads.ask("writes", lambda: write_beside(running + 1), method="POST")
            return
        with pytest.raises(ComesAgain):
            reads.ask("waits", method="POST")
        reads.ask("reads")

    write_beside(0)
    assert reads.answered[0] == "reads"
    assert reads.called == ["waits"]
    reads.ask("waits", method="POST")


def test_answers_that_are_not_sent_count_until_they_are(reads: Reads) -> None:
    reads.sends_later = True
    for number in range(MOST_UNSENT):
        reads.ask(str(number))
    with pytest.raises(ComesAgain):
        reads.ask("waits")
    reads.ask("of another", account=2)
    assert reads.called == []
    reads.unsent.pop(0)()
    assert reads.called == ["waits"]
    reads.ask("waits")
    for then in reads.unsent:
        then()


@pytest.mark.parametrize("other", [{"account": 2}, {"account": None}, {"method": "POST"}])
def test_other_accounts_strangers_and_writes_do_not_wait_for_reads(other: dict[str, Any], reads: Reads) -> None:
    reads.beside(AT_ONCE, lambda: reads.ask("other", **other))
    assert reads.answered[0] == "other"


def test_a_read_that_fails_gives_its_turn_back(reads: Reads) -> None:
    def fail() -> None:
        raise LookupError

    for _ in range(AT_ONCE + 1):
        with pytest.raises(LookupError):
            reads.ask("failing", fail)
    reads.ask("next")
    assert reads.answered == ["next"]


def test_of_very_many_the_last_is_refused(reads: Reads, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(account_turns, "MOST_WAITING", 1)
    refused: list[HttpResponse] = []

    def ask_more() -> None:
        with pytest.raises(ComesAgain):
            reads.ask("waiting")
        refused.append(reads.ask("refused"))

    reads.beside(AT_ONCE, ask_more)
    assert (refused[0].status_code, refused[0].headers["Retry-After"]) == (429, "2")


def test_without_a_queue_all_are_answered_at_once(reads: Reads) -> None:
    request = RequestFactory().get("/api/records")
    request.user = User(pk=1)
    reads.beside(AT_ONCE, lambda: reads.answered.append(str(take_turns(lambda _: HttpResponse())(request).status_code)))
    assert reads.answered[0] == "200"


def test_a_request_that_waits_holds_no_thread_and_is_answered_once(site: Site) -> None:
    number = web_server.THREADS
    waiting = [site.connect(b"GET /turn HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n") for _ in range(number)]
    wait_until(lambda: len(site.pages.again) == number)
    assert site.get("/page").endswith(b"ok")
    # Its client is gone meanwhile.
    waiting.pop().close()
    wait_until(lambda: any(client_state.has_left(one.socket) for one in site.connections))
    done: list[bool] = []
    assert [again(lambda: done.append(True)) for again in site.pages.again].count(False) == 1
    for connection in waiting:
        answer = everything(connection)
        assert (answer.count(b"HTTP/1.1 200"), answer[-4:]) == (1, b"turn")
    wait_until(lambda: len(done) == number - 1)
    assert site.get("/page").endswith(b"ok")


def test_a_write_that_waited_has_its_body(site: Site) -> None:
    waiting = site.connect(b"POST /turn HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nConnection: close\r\n\r\nkept")
    wait_until(lambda: len(site.pages.again) == 1)
    site.pages.again[0](nothing)
    assert everything(waiting).endswith(b"turn after kept")


def test_an_answer_counts_as_sent_where_the_next_request_was_faster_than_its_thread(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Connection, "_note_sent", lambda connection: None)
    connection = site.connect()
    for path, sent in (("short", []), ("page", ["sent"])):
        connection.sendall(f"GET /{path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        answer = b""
        while not answer.endswith(b"ok"):
            answer += connection.recv(65536)
        assert site.pages.sent == sent
