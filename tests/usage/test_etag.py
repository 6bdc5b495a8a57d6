"""Conditional answers and compression of the reads: docs/api.md#conditional-reads."""

import gzip
import json
import uuid
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext
from django_ratelimit import core as ratelimit

from accounts import credential
from accounts.models import Store, User
from accounts.store_identity import open_store
from archive_site.lib import clock
from archive_site.lib.http import rate_limits
from archive_site.lib.stored_message import Message
from collection import runs
from collection.models import Run
from collection.run_outcomes import OK
from tests.factories import ApiClient
from tests.usage.record_factories import archive, call

ApiOf = Callable[[User], ApiClient]
pytestmark = pytest.mark.django_db
NOON = datetime(2026, 9, 8, 10, 0, tzinfo=UTC)  # 12:00 in Berlin

READS = ["summary", "daily", "dims", "top", "records", "records/r1", "bundle", "manifest", "runs", "runs/{run}"]
NEVER = ["status", "settings"]


@pytest.fixture
def at(monkeypatch: pytest.MonkeyPatch) -> Callable[[datetime], None]:
    """Moves the clock."""
    return lambda instant: monkeypatch.setattr(clock, "now", lambda: instant)


@pytest.fixture(autouse=True)
def noon(db: None, at: Callable[[datetime], None]) -> None:
    at(NOON)
    open_store()


@pytest.fixture
def archived(alice: User) -> User:
    archive(alice, call("r1"), call("r2", ts="2026-09-08 08:00:00"))
    runs.begin(alice.pk, Run.Trigger.MANUAL, clock.now(), clock.now())
    return alice


def address(path: str) -> str:
    return "/api/" + path.format(run=Run.objects.values_list("pk", flat=True).last())


def asked(visitor: ApiClient, path: str, tag: str = "", **params: str) -> Any:
    return visitor.client.get(address(path), params, headers={"If-None-Match": tag} if tag else {})


def tag_of(visitor: ApiClient, path: str, **params: str) -> str:
    response = asked(visitor, path, **params)
    assert response.status_code == 200
    tag: str = response.headers["ETag"]
    return tag


# 304.


@pytest.mark.parametrize("path", READS)
def test_an_answer_that_the_client_has_is_304_without_a_body(archived: User, api_of: ApiOf, path: str) -> None:
    visitor = api_of(archived)
    first = asked(visitor, path)
    again = asked(visitor, path, first.headers["ETag"])
    assert (first.status_code, again.status_code, again.content) == (200, 304, b"")
    for response in (first, again):
        assert response.headers["ETag"].startswith('W/"')
        assert response.headers["Cache-Control"] == "private, no-cache"
        assert {"Cookie", "Accept-Encoding"} <= set(response.headers["Vary"].split(", "))


@pytest.mark.parametrize("path", READS)
def test_head_has_the_same_tag_and_is_304_too(archived: User, api_of: ApiOf, path: str) -> None:
    visitor = api_of(archived)
    head = visitor.client.head(address(path))
    assert (head.status_code, head.content, head.headers["ETag"]) == (200, b"", tag_of(visitor, path))
    again = visitor.client.head(address(path), headers={"If-None-Match": head.headers["ETag"]})
    assert again.status_code == 304


@pytest.mark.parametrize("form", ["{}", '"other", {}', "*"])
def test_any_of_several_tags_will_do(archived: User, api_of: ApiOf, form: str) -> None:
    visitor = api_of(archived)
    assert asked(visitor, "dims", form.format(tag_of(visitor, "dims"))).status_code == 304


@pytest.mark.parametrize("tag", ['"other"', 'W/"other"', "nonsense", ""])
def test_another_tag_is_answered_in_full(archived: User, api_of: ApiOf, tag: str) -> None:
    assert asked(api_of(archived), "dims", tag).json()["model"]


@pytest.mark.parametrize("path", NEVER)
def test_what_is_told_anew_each_time_has_no_tag(archived: User, api_of: ApiOf, path: str) -> None:
    response = asked(api_of(archived), path)
    assert "ETag" not in response.headers
    assert response.headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize(("path", "number"), [*((path, 1) for path in READS[:6]), ("runs", 1), ("manifest", 2)])
def test_a_304_reads_no_rows(archived: User, api_of: ApiOf, path: str, number: int) -> None:
    # One query for the tag; a manifest needs a second one, for the state of the cookie.
    visitor = api_of(archived)
    tag = tag_of(visitor, path)
    with CaptureQueriesContext(connection) as captured:
        assert visitor.client.get(f"/api/{path}", headers={"If-None-Match": tag}).status_code == 304
    others = ("accounts_session", "accounts_user")
    own = [query["sql"] for query in captured.captured_queries if not any(name in query["sql"] for name in others)]
    assert len(own) == number, own
    assert not [query for query in own if "usage_record" in query or "usage_day" in query]


# Changes of the tag.


def edited(alice: User) -> None:
    archive(alice, call("r1", credits=2))


def run_noted(alice: User) -> None:
    run = Run.objects.get(user_id=alice.pk)
    runs.finish(run, OK, Message("stopped"), runs.Journal(run.pk), actor="alice")


def restored(alice: User) -> None:
    Store.objects.update(store_id=uuid.uuid4())


def promoted(alice: User) -> None:
    User.objects.filter(pk=alice.pk).update(is_admin=True)


@pytest.mark.parametrize("path", READS)
@pytest.mark.parametrize("change", [edited, run_noted, restored, promoted])
def test_every_change_of_records_runs_store_or_role_makes_another_tag(
    archived: User, api_of: ApiOf, path: str, change: Callable[[User], None]
) -> None:
    visitor = api_of(archived)
    before = tag_of(visitor, path)
    change(archived)
    response = asked(visitor, path, before)
    assert response.status_code == 200
    assert response.headers["ETag"] != before


@pytest.mark.parametrize("path", READS)
def test_another_day_and_another_version_of_the_program_make_another_tag(
    archived: User, api_of: ApiOf, path: str, at: Callable[[datetime], None], settings: Any
) -> None:
    visitor = api_of(archived)
    tags = [tag_of(visitor, path)]
    at(NOON + timedelta(days=1))
    tags.append(tag_of(visitor, path))
    settings.VERSION = "0.0.0"
    tags.append(tag_of(visitor, path))
    assert len(set(tags)) == 3


@pytest.mark.parametrize("path", READS[:-1])
def test_the_same_archive_of_another_account_has_another_tag(
    archived: User, bob: User, api_of: ApiOf, path: str
) -> None:
    archive(bob, call("r1"), call("r2", ts="2026-09-08 08:00:00"))
    runs.begin(bob.pk, Run.Trigger.MANUAL, clock.now(), clock.now())
    tag = tag_of(api_of(archived), path)
    response = asked(api_of(bob), path, tag)
    assert response.status_code == 200
    assert response.headers["ETag"] != tag


def test_a_tag_without_the_key_cannot_be_made(archived: User, api_of: ApiOf, settings: Any) -> None:
    visitor = api_of(archived)
    before = tag_of(visitor, "dims")
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "another key"
    assert tag_of(visitor, "dims") != before


def test_another_accounts_change_leaves_the_tag(archived: User, bob: User, api_of: ApiOf) -> None:
    before = tag_of(api_of(archived), "bundle")
    archive(bob, call("r1"))
    credential.store(bob.pk, "session=1; marker=1")
    assert tag_of(api_of(archived), "bundle") == before


def test_the_minute_counts_where_the_time_is_told(
    archived: User, api_of: ApiOf, at: Callable[[datetime], None]
) -> None:
    visitor = api_of(archived)
    telling: list[dict[str, str]] = [
        {}, {"to": "2026-09-08"}, {"from": "2026-09-08", "to": "2026-09-07"}, {"to": "2026-09-30"},
    ]  # fmt: skip
    silent: list[dict[str, str]] = [{"to": "2026-09-07"}, {"from": "2026-09-09", "to": "2026-09-30"}]
    before = [tag_of(visitor, "summary", **params) for params in [*telling, *silent]]
    at(NOON + timedelta(seconds=59))
    assert [tag_of(visitor, "summary", **params) for params in [*telling, *silent]] == before
    at(NOON + timedelta(seconds=60))
    after = [tag_of(visitor, "summary", **params) for params in [*telling, *silent]]
    assert [old == new for old, new in zip(before, after, strict=True)] == [False] * 4 + [True] * 2
    assert asked(visitor, "summary").json()["partial"]["hhmm"] == "12:01"


# Parameters.

SAME: list[tuple[str, dict[str, str], dict[str, str]]] = [
    ("daily", {"from": "2026/09/07"}, {"from": "2026-09-07"}),
    ("daily", {"from": "2026-09-07T10:00"}, {"from": "2026-9-7"}),
    ("dims", {"from": "2026-09-08", "to": "2026-09-01"}, {"from": "2026-09-01", "to": "2026-09-08"}),
    ("dims", {"dim": "nonsense"}, {}),
    ("dims", {"model": ""}, {}),
    ("dims", {"no_model": "0"}, {}),
    ("dims", {"no_model": "true", "model": "glm"}, {"no_model": "1"}),
    ("dims", {"unknown": "x", "user_id": "7"}, {}),
    ("top", {"n": "50"}, {}),
    ("top", {"n": "5000"}, {"n": "1000"}),
    ("records", {"order": "nonsense", "page": "0", "size": "x"}, {"order": "ts_desc"}),
    ("records", {"lean": "yes"}, {}),
    ("bundle", {"topN": "30"}, {}),
    ("runs", {"limit": "900"}, {"limit": "500"}),
]
OTHER: list[tuple[str, dict[str, str], dict[str, str]]] = [
    ("daily", {"from": "2026-09-07"}, {"to": "2026-09-07"}),
    ("daily", {"model": "glm"}, {"client": "glm"}),
    ("dims", {"dim": "model"}, {"dim": "client"}),
    ("dims", {"no_model": "1"}, {"no_client": "1"}),
    ("records", {"no_client": "1"}, {}),
    ("summary", {"model": "glm"}, {}),
    ("top", {"n": "2"}, {"n": "3"}),
    ("records", {"q": "a"}, {"q": "A"}),
    ("records", {"page": "1"}, {"page": "2"}),
    ("records", {"size": "1"}, {"size": "2"}),
    ("records", {"order": "ts_asc"}, {}),
    ("records", {"lean": "1"}, {}),
    ("bundle", {"topN": "1"}, {}),
    ("runs", {"limit": "1"}, {}),
]


@pytest.mark.parametrize(("path", "one", "other"), SAME)
def test_what_means_the_same_has_the_same_tag(
    archived: User, api_of: ApiOf, path: str, one: dict[str, str], other: dict[str, str]
) -> None:
    visitor = api_of(archived)
    assert tag_of(visitor, path, **one) == tag_of(visitor, path, **other)


@pytest.mark.parametrize(("path", "one", "other"), OTHER)
def test_what_means_something_else_has_another_tag(
    archived: User, api_of: ApiOf, path: str, one: dict[str, str], other: dict[str, str]
) -> None:
    visitor = api_of(archived)
    assert tag_of(visitor, path, **one) != tag_of(visitor, path, **other)


def test_each_endpoint_has_tags_of_its_own(archived: User, api_of: ApiOf) -> None:
    visitor = api_of(archived)
    assert len({tag_of(visitor, path) for path in READS}) == len(READS)


# Checks before the tag.


def use_up_reads(user: User, *, but: int) -> None:
    """Let an account have made all its reads of the minute but so many."""
    request = RequestFactory().get("/api/manifest")
    request.user = user
    for _ in range(240 - but):
        rate_limits.require_read_rate(request)


@pytest.mark.parametrize("path", READS)
def test_sign_in_and_limit_come_before_the_tag(
    archived: User, api_of: ApiOf, anonymous: ApiClient, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Limits count by clock minute, so no minute may end during the test.
    now = ratelimit.time.time()
    monkeypatch.setattr(ratelimit.time, "time", lambda: now)
    visitor = api_of(archived)
    tag = tag_of(visitor, path)
    assert asked(anonymous, path, tag).status_code == 401
    use_up_reads(archived, but=1)
    response = asked(visitor, path, tag)
    assert (response.status_code, "ETag" in response.headers) == (429, False)


@pytest.mark.parametrize("path", ["summary", "daily", "dims", "top", "records", "bundle"])
def test_a_bad_date_is_400_whatever_tag_is_sent(archived: User, api_of: ApiOf, path: str) -> None:
    response = asked(api_of(archived), path, "*", to="soon")
    assert (response.status_code, response.headers["Cache-Control"]) == (400, "no-store")
    assert "ETag" not in response.headers


@pytest.mark.parametrize("path", ["records/none", "runs/0"])
def test_what_is_not_there_has_no_tag(archived: User, api_of: ApiOf, path: str) -> None:
    response = asked(api_of(archived), path)
    assert (response.status_code, "ETag" in response.headers) == (404, False)


# Compression.


def compressed(visitor: ApiClient, path: str, **headers: str) -> Any:
    return visitor.client.get(path, headers={"Accept-Encoding": "br, gzip", **headers})


def test_a_long_answer_is_compressed_for_who_accepts_it(archived: User, api_of: ApiOf) -> None:
    visitor = api_of(archived)
    plain, packed = visitor.get("/api/dims"), compressed(visitor, "/api/dims")
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert packed.headers["Content-Length"] == str(len(packed.content))
    assert gzip.decompress(packed.content) == plain.content
    assert len(packed.content) < len(plain.content) / 2


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        ("gzip;q=0", ""),
        ("br, gzip; q=0.0", ""),
        ("gzip;q=0, identity", ""),
        ("gzip;q=0.5", "gzip"),
        ("gzip, br;q=0", "gzip"),
    ],
)
def test_who_refuses_to_have_it_compressed_gets_it_as_it_is(
    accepted: str, coding: str, archived: User, api_of: ApiOf
) -> None:
    answer = api_of(archived).client.get("/api/dims", headers={"Accept-Encoding": accepted})
    assert answer.headers.get("Content-Encoding", "") == coding


def test_any_tag_at_all_is_one_only_of_what_there_is(archived: User, api_of: ApiOf) -> None:
    visitor = api_of(archived)
    assert visitor.client.get("/api/records/nope", headers={"If-None-Match": "*"}).status_code == 404
    assert visitor.client.get("/api/records/r1", headers={"If-None-Match": "*"}).status_code == 304


def test_the_tag_holds_for_both_encodings(archived: User, api_of: ApiOf) -> None:
    visitor = api_of(archived)
    packed = compressed(visitor, "/api/dims")
    assert packed.headers["ETag"] == tag_of(visitor, "dims")
    assert asked(visitor, "dims", packed.headers["ETag"]).status_code == 304
    assert compressed(visitor, "/api/dims", **{"If-None-Match": packed.headers["ETag"]}).status_code == 304


def test_a_short_answer_is_left_as_it_is(archived: User, api_of: ApiOf) -> None:
    response = compressed(api_of(archived), "/api/summary")
    assert len(response.content) < 1024
    assert "Content-Encoding" not in response.headers
    assert json.loads(response.content)["calls"] == 2


@pytest.mark.parametrize("path", ["/", "/login", "/config", "/api/settings"])
def test_nothing_that_holds_a_token_or_a_setting_is_compressed(archived: User, api_of: ApiOf, path: str) -> None:
    assert "Content-Encoding" not in compressed(api_of(archived), path).headers


def test_no_middleware_compresses() -> None:
    assert not [name for name in settings.MIDDLEWARE if "gzip" in name.lower()]
