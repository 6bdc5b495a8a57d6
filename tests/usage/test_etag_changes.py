"""What makes another tag, and what leaves it: docs/api.md#conditional-reads."""

import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from accounts.credentials import credential
from accounts.models import Store, User
from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from collection.models import Run
from collection.runs import runs
from collection.runs.run_outcomes import OK
from tests.usage.conditional_reads import NOON, READS, ApiOf, asked, tag_of
from tests.usage.record_factories import archive, call

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("noon")]


# Changes of the tag.


def edited(alice: User) -> None:
    archive(alice, call("r1", credits=2))


def run_noted(alice: User) -> None:
    run = Run.objects.get(archive_id=alice.pk)
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


def test_the_minute_counts_where_the_answer_has_the_time(
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
    ("daily", {"no_purpose": "on", "purpose": "chat"}, {"no_purpose": "1"}),
    ("records", {"columns": ""}, {}),
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
    ("dims", {"dim": "purpose"}, {}),
    ("daily", {"purpose": "chat"}, {"model": "chat"}),
    ("records", {"columns": "purpose"}, {}),
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
