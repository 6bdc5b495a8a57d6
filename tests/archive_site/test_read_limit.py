"""240 reads of /api/* in 60 seconds per account: docs/api.md#limits."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.cache import caches
from django.test import RequestFactory

from accounts.models import User
from archive_site.lib.http import rate_limits
from archive_site.lib.http.api_error import ApiError
from tests.concurrency import together
from tests.factories import ApiClient
from tests.standing_clock import SetClock

ApiOf = Callable[[User], ApiClient]
pytestmark = [pytest.mark.django_db]
PATH = "/api/runs"


@pytest.mark.thorough
def test_the_240th_read_is_answered_and_the_next_is_not(alice: User, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    assert {visitor.get(PATH).status_code for _ in range(240)} == {200}
    refused = visitor.get(PATH)
    assert refused.status_code == 429
    assert json.loads(refused.content)["error"] == "too_frequent"
    assert 1 <= int(refused.headers["Retry-After"]) <= 60


def exhaust(user: User) -> None:
    request = RequestFactory().get(PATH)
    request.user = user
    for _ in range(240):
        rate_limits.require_read_rate(request)
    with pytest.raises(ApiError):
        rate_limits.require_read_rate(request)


def test_the_limit_is_one_for_all_reads_and_sessions_of_an_account(alice: User, api_of: ApiOf) -> None:
    exhaust(alice)
    assert api_of(alice).get("/api/settings").status_code == 429
    assert api_of(alice).client.head("/api/summary").status_code == 429


def test_another_account_reads_on(alice: User, bob: User, api_of: ApiOf) -> None:
    exhaust(alice)
    assert api_of(bob).get(PATH).status_code == 200


def test_writes_have_a_limit_of_their_own(alice: User, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    exhaust(alice)
    assert visitor.post("/api/captcha").status_code == 200


def test_the_role_is_asked_before_the_limit(alice: User, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    exhaust(alice)
    assert visitor.get("/api/users").status_code == 403


def test_a_new_window_begins_after_a_minute(alice: User, api_of: ApiOf, time: SetClock) -> None:
    visitor = api_of(alice)
    exhaust(alice)
    time.pass_by(seconds=60)
    assert visitor.get(PATH).status_code == 200


def test_counters_that_are_emptied_between_two_commands_refuse_nobody(
    alice: User, api_of: ApiOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor, counters = api_of(alice), caches["counters"]
    assert visitor.get(PATH).status_code == 200
    increase, emptied = counters.incr, iter([True])

    def incr(*given: Any, **named: Any) -> int:
        if next(emptied, False):
            counters.clear()
        return increase(*given, **named)

    monkeypatch.setattr(counters, "incr", incr)
    assert visitor.get(PATH).status_code == 200
    assert next(emptied, None) is None
    exhausted = [visitor.get(PATH).status_code for _ in range(240)]
    assert (exhausted.count(200), exhausted.count(429)) == (239, 1)


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_parallel_reads_pass_exactly_240_times(alice: User, api_of: ApiOf) -> None:
    visitors = [api_of(alice) for _ in range(5)]
    answers = together(*[lambda one=one: [one.get(PATH).status_code for _ in range(60)] for one in visitors])
    codes = [code for answer in answers for code in answer]
    assert (codes.count(200), codes.count(429)) == (240, 60)
