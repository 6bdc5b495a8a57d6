"""`/api/retention`: docs/api.md#retention."""

from collections.abc import Callable
from typing import Any

import pytest
from django_q.models import OrmQ

from accounts.models import User
from audit.models import Entry
from tests.factories import ApiClient, further_archive
from tests.usage.record_factories import archive, on
from tests.usage.retention.kept_archives import DAYS, KEPT_FROM, fill, keep
from usage import tasks
from usage.models import Prompt, Record, Retention
from usage.retention import erasing
from usage.retention.choices import Choice, of_account

pytestmark = pytest.mark.django_db
ApiOf = Callable[[User], ApiClient]
CHOICE = {"prompts_days": 10, "calls_days": DAYS}


def test_all_is_kept_without_a_choice(alice: User, api_of: ApiOf) -> None:
    assert api_of(alice).get("/api/retention").json() == {
        "prompts_days": None, "calls_days": None, "prompts_from": None, "calls_from": None,
    }  # fmt: skip


def test_the_choice_is_stored_audited_and_erases(alice: User, api_of: ApiOf) -> None:
    fill(alice, 100)
    api = api_of(alice).entered()
    assert api.post("/api/retention", CHOICE).json()["ok"] is True
    assert of_account(alice.pk) == Choice(10, DAYS)
    assert [str(entry.detail) for entry in Entry.objects.filter(action="retention")] == [
        "prompts: 10 days; calls: 40 days"
    ]
    tasks.erase()
    assert not Record.objects.filter(day__lt=KEPT_FROM).exists()
    assert api.get("/api/retention").json() == {**CHOICE, "prompts_from": "2026-09-06", "calls_from": KEPT_FROM}
    assert api.post("/api/retention", {"prompts_days": None, "calls_days": None}).status_code == 200
    assert api.get("/api/retention").json() == {
        "prompts_days": None, "calls_days": None, "prompts_from": "2026-09-06", "calls_from": KEPT_FROM,
    }  # fmt: skip


@pytest.mark.parametrize("given", [0, -1, 36_501, 1.5, "x", "", True, False, [30], {"days": 30}, "１２"])
@pytest.mark.parametrize("path", ["/api/retention", "/api/retention/preview"])
@pytest.mark.parametrize("name", ["prompts_days", "calls_days"])
def test_a_bad_number_of_days_is_refused_and_changes_nothing(
    alice: User, api_of: ApiOf, path: str, name: str, given: Any
) -> None:
    answer = api_of(alice).entered().post(path, {**CHOICE, name: given})
    assert (answer.status_code, answer.json()["error"]) == (400, "bad_request")
    assert not Retention.objects.exists()
    assert not OrmQ.objects.exists()


@pytest.mark.parametrize("body", [b"garbage", b"", b"[1]", b"null", b"{}", b'{"calls_day": 20}', b'{"calls_days": 20}'])
@pytest.mark.parametrize("path", ["/api/retention", "/api/retention/preview"])
def test_a_body_without_a_choice_changes_nothing(alice: User, api_of: ApiOf, path: str, body: bytes) -> None:
    api = api_of(alice).entered()
    api.post("/api/retention", CHOICE)
    token = {"X-CSRF-Token": api.token}
    answer = api.client.post(path, body, content_type="application/json", headers=token)
    assert (answer.status_code, answer.json()["error"]) == (400, "bad_request")
    assert of_account(alice.pk) == Choice(10, DAYS)


def test_the_longest_time_is_taken(alice: User, api_of: ApiOf) -> None:
    archive(alice, on("1900-01-01", "old"), on("1999-01-01", "young"))
    assert (
        api_of(alice).entered().post("/api/retention", {"prompts_days": None, "calls_days": 36_500}).status_code == 200
    )
    assert erasing.go_on()
    assert [*Record.objects.values_list("request_id", flat=True)] == ["young"]


def test_the_password_is_asked_for(alice: User, api_of: ApiOf) -> None:
    api = api_of(alice)
    answer = api.post("/api/retention", CHOICE)
    assert (answer.status_code, answer.json()["error"]) == (403, "reauthenticate")
    assert not Retention.objects.exists()
    # A preview changes nothing.
    assert api.post("/api/retention/preview", CHOICE).status_code == 200


@pytest.mark.engine
@pytest.mark.parametrize(("prompts", "calls"), [(10, DAYS), (60, 40), (None, 3), (3, None), (None, None)])
def test_the_preview_is_what_is_erased(
    alice: User, bob: User, api_of: ApiOf, prompts: int | None, calls: int | None
) -> None:
    choice = {"prompts_days": prompts, "calls_days": calls}
    for owner in (alice, further_archive(alice), bob):
        fill(owner, 100)
    api = api_of(alice)
    before = Prompt.objects.count(), Record.objects.count()
    found = api.post("/api/retention/preview", choice).json()
    assert (Prompt.objects.count(), Record.objects.count()) == before
    keep(alice, **choice)
    assert (found["prompts"], found["calls"]) == (
        before[0] - Prompt.objects.count(),
        before[1] - Record.objects.count(),
    )
    days = choice.get("calls_days")
    assert found["first_kept_day"] == ({3: "2026-09-13", 40: KEPT_FROM}[days] if days else None)
    assert api.post("/api/retention/preview", choice).json() == {**found, "prompts": 0, "calls": 0}


def test_thousands_of_choices_queue_one_task(alice: User, api_of: ApiOf) -> None:
    api = api_of(alice).entered()
    for _ in range(20):
        assert api.post("/api/retention", CHOICE).status_code == 200
    assert [task.func() for task in OrmQ.objects.all()] == [tasks.ERASE]


def test_a_task_that_does_not_finish_queues_the_next(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(alice, 50)
    Retention.objects.create(user_id=alice.pk, calls_days=DAYS)
    go_on = erasing.go_on
    monkeypatch.setattr(erasing, "go_on", lambda: go_on(0.0))
    tasks.erase()
    assert [task.func() for task in OrmQ.objects.all()] == [tasks.ERASE]


def test_the_choice_of_another_account_is_its_own(alice: User, bob: User, api_of: ApiOf) -> None:
    fill(bob, 20)
    assert api_of(alice).entered().post("/api/retention", {**CHOICE, "calls_days": 1}).status_code == 200
    assert erasing.go_on()
    assert Record.objects.filter(archive_id=bob.pk).count() == 20
    assert api_of(bob).get("/api/retention").json()["calls_days"] is None
