"""600 writes in 60 seconds per account: docs/api.md#limits."""

import json
from collections.abc import Callable

import pytest
from django.test import RequestFactory

from accounts.models import User
from archive_site.lib.http import rate_limits
from archive_site.lib.http.api_error import ApiError
from tests.concurrency import together
from tests.factories import ApiClient
from tests.standing_clock import SetClock

ApiOf = Callable[[User], ApiClient]
pytestmark = [pytest.mark.django_db]
PATH = "/api/captcha"


def exhaust(user: User, left: int = 0) -> None:
    request = RequestFactory().post(PATH)
    request.user = user
    for _ in range(600 - left):
        rate_limits.require_write_rate(request)
    if not left:
        with pytest.raises(ApiError):
            rate_limits.require_write_rate(request)


def test_the_600th_write_is_answered_and_the_next_is_not(alice: User, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    exhaust(alice, left=1)
    assert visitor.post(PATH).status_code == 200
    refused = visitor.post(PATH)
    assert (refused.status_code, json.loads(refused.content)["error"]) == (429, "too_frequent")
    assert 1 <= int(refused.headers["Retry-After"]) <= 60


def test_the_limit_is_one_for_all_writes_and_sessions_of_an_account(alice: User, api_of: ApiOf) -> None:
    exhaust(alice)
    assert api_of(alice).post("/api/settings", {"no_key": 1}).status_code == 429
    assert api_of(alice).post("/api/credential/test").status_code == 429


def test_another_account_writes_on(alice: User, bob: User, api_of: ApiOf) -> None:
    exhaust(alice)
    assert api_of(bob).post(PATH).status_code == 200


def test_reads_do_not_count_and_are_not_limited(alice: User, api_of: ApiOf) -> None:
    exhaust(alice)
    assert api_of(alice).get("/api/runs").status_code == 200


@pytest.mark.parametrize(("path", "status"), [("/api/users", 403), ("/api/runs", 405), ("/api/missing", 404)])
def test_the_path_the_role_and_the_method_come_first(path: str, status: int, alice: User, api_of: ApiOf) -> None:
    exhaust(alice)
    assert api_of(alice).post(path).status_code == status


def test_the_token_comes_first(alice: User, api_of: ApiOf) -> None:
    exhaust(alice, left=1)
    visitor = api_of(alice)
    assert visitor.client.post(PATH).status_code == 400
    assert visitor.client.post("/logout").status_code == 400
    assert visitor.post(PATH).status_code == 200


def test_anonymous_writes_are_not_counted(anonymous: ApiClient) -> None:
    assert {anonymous.post("/logout").status_code for _ in range(3)} == {302}
    assert anonymous.post(PATH).status_code == 401


@pytest.mark.parametrize("path", ["/login", "/profile", "/admin/accounts/user/"])
def test_a_write_to_a_page_counts_and_is_refused_with_a_page(path: str, root: User, api_of: ApiOf) -> None:
    visitor = api_of(root)
    exhaust(root)
    refused = visitor.post(path)
    assert (refused.status_code, refused.headers["Content-Type"]) == (429, "text/html; charset=utf-8")
    assert 1 <= int(refused.headers["Retry-After"]) <= 60
    assert visitor.get("/profile").status_code == 200


@pytest.mark.parametrize("path", ["/api/password", "/api/sessions/end-others", "/logout"])
def test_what_ends_sessions_stays_possible(path: str, alice: User, api_of: ApiOf) -> None:
    visitor = api_of(alice)
    exhaust(alice)
    assert visitor.post(path).status_code == {"/api/password": 400, "/logout": 302}.get(path, 200)


def test_pages_and_api_share_one_limit(alice: User, api_of: ApiOf) -> None:
    exhaust(alice, left=1)
    assert api_of(alice).post("/login", {"username": "alice"}).status_code == 400
    assert api_of(alice).post(PATH).status_code == 429


def test_a_new_window_begins_after_a_minute(alice: User, api_of: ApiOf, time: SetClock) -> None:
    exhaust(alice)
    time.pass_by(seconds=60)
    assert api_of(alice).post(PATH).status_code == 200


@pytest.mark.django_db(transaction=True)
def test_parallel_writes_pass_exactly_600_times(alice: User, api_of: ApiOf) -> None:
    exhaust(alice, left=40)
    visitors = [api_of(alice) for _ in range(4)]
    answers = together(*[lambda one=one: [one.post(PATH).status_code for _ in range(15)] for one in visitors])
    codes = [code for answer in answers for code in answer]
    assert (codes.count(200), codes.count(429)) == (40, 20)
