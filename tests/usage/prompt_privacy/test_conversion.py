"""Stored prompts become what the account keeps of prompts (docs/decisions/records.md#private-prompts)."""

from collections.abc import Callable
from threading import Event
from typing import Any

import pytest
from django.db import transaction
from django_q.models import OrmQ

from accounts.models import Notice, User
from archive_site.lib import clock, waiting_tasks
from archive_site.lib.storage.sql import fetch
from archive_site.lib.stored_message import Message
from archive_site.lib.task_turns import turn_of
from audit.models import Entry
from tests.archive_site.commands import wait_until
from tests.concurrency import together
from tests.factories import ApiClient, further_archive
from tests.usage.prompt_privacy.test_kept_prompts import CANARY, found
from tests.usage.record_factories import archive, call
from usage import prompt_conversion as conversion
from usage.bulk_ingest import Bulk
from usage.converted_prompts import convert
from usage.incoming.record import with_last_values
from usage.models import DataVersion, DayTotal, Privacy, Prompt, Record
from usage.prompt_privacy import policy
from usage.prompt_privacy.hashed_words import hashed, words_key
from usage.stored_size import repair
from usage.tasks import CONVERT_PROMPTS

pytestmark = pytest.mark.django_db
# Connections that wait for a lock.
WAITING = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
ApiOf = Callable[[User], ApiClient]


def fill(owner: User | int, number: int = 30) -> None:
    archive(
        owner,
        *(call(f"r{n:02}", ts=f"2026-09-{n % 9 + 1:02} 10:00:00", prompt=f"{CANARY} no{n}") for n in range(number)),
    )


def apply(api: ApiClient, mode: str, length: int = 10) -> None:
    api.entered()
    assert api.post("/api/privacy", {"mode": mode, "length": length}).status_code == 200
    assert api.post("/api/privacy/apply").status_code == 200
    assert conversion.go_on()


@pytest.mark.engine
@pytest.mark.parametrize("mode", ["nothing", "hash", "beginning", "whole"])
def test_all_archives_of_the_account_are_converted_and_nothing_of_others(
    alice: User, bob: User, api_of: ApiOf, mode: str
) -> None:
    further = further_archive(alice)
    for owner in (alice, further, bob):
        fill(owner)
    api, version = api_of(alice), DataVersion.objects.get(archive_id=alice.pk).number
    apply(api, mode)
    own = Prompt.objects.filter(record__archive_id__in=[alice.pk, further])
    texts = list(own.values_list("text", flat=True))
    whole = mode == "whole"
    assert len(texts) == (0 if mode == "nothing" else 60)
    assert any("sings" in text for text in texts) is whole
    assert Prompt.objects.filter(record__archive_id=bob.pk, text__contains="sings").count() == 30
    assert found(api_of(bob), "canar") != []
    assert len(found(api, "canary no7")) == (1 if mode == "hash" else 0)
    assert len(found(api, "canar")) == {"whole": 30, "beginning": 30}.get(mode, 0)
    shown = api.get("/api/privacy").json()
    assert (shown["mode"], shown["applied"]["done"], shown["applied"]["total"]) == (mode, 60, 60)
    assert shown["applied"]["applied_at"] is not None
    # Sums, sizes and the log of changes follow.
    assert sum(DayTotal.objects.filter(archive_id=alice.pk).values_list("without_prompt", flat=True)) == (
        30 if mode == "nothing" else 0
    )
    assert not repair(alice.pk)
    assert (DataVersion.objects.get(archive_id=alice.pk).number > version) is not whole
    assert set(Record.objects.filter(archive_id=alice.pk, prompt_key__gt=0).values_list("archive_id")) == (
        set() if mode in ("nothing", "hash") else {(alice.pk,)}
    )


def test_it_goes_on_where_it_broke_off(alice: User, api_of: ApiOf, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(alice)
    api = api_of(alice).entered()
    api.post("/api/privacy", {"mode": "nothing"})
    api.post("/api/privacy/apply")
    converted, calls = convert, list[int]()

    def dies(archive_id: int, ids: list[int], policy: Any) -> None:
        converted(archive_id, ids, policy)
        calls.append(len(ids))
        raise RuntimeError("killed")

    monkeypatch.setattr("usage.prompt_conversion.convert", dies)
    with pytest.raises(RuntimeError):
        conversion.go_on()
    assert (Prompt.objects.count(), Privacy.objects.get().done) == (30, 0)
    monkeypatch.setattr("usage.prompt_conversion.convert", converted)
    assert not conversion.go_on(seconds=-1)
    assert conversion.go_on()
    assert (Prompt.objects.count(), Privacy.objects.get().done) == (0, 30)
    assert conversion.go_on()


@pytest.mark.engine
@pytest.mark.parametrize("mode", ["nothing", "hash"])
@pytest.mark.parametrize("moves", ["time", "id"])
@pytest.mark.parametrize("stores", ["page", "import"])
def test_a_record_that_moves_behind_it_meanwhile_is_converted(
    alice: User, api_of: ApiOf, mode: str, moves: str, stores: str
) -> None:
    archive(alice, call("a", ts="2026-09-08 12:00:00"), call("b", ts="2026-09-08 18:00:00", prompt=CANARY))
    api = api_of(alice).entered()
    api.post("/api/privacy", {"mode": mode})
    api.post("/api/privacy/apply")
    # It has come between the two.
    Privacy.objects.update(at_archive=alice.pk, at_ts="2026-09-08 18:00:00", at_request="aa", done=1)
    if moves == "time":
        coming = call("b", ts="2026-09-08 10:00:00", prompt="canary")
    else:
        coming = call("0", ts="2026-09-08 18:00:00", prompt="", earlier_id="b")
    if stores == "page":
        archive(alice, coming)
    else:
        with transaction.atomic():
            bulk = Bulk(alice.pk, run_id=None, max_prompt=20000)
            bulk.take_in([coming], {coming.request_id: coming.earlier_id} if coming.earlier_id else {})
            bulk.finish()
    assert conversion.go_on()
    stored = Prompt.objects.filter(record__request_id=coming.request_id).values_list("text", flat=True)
    assert [*stored] == ([] if mode == "nothing" else [hashed(CANARY, words_key(alice.pk))])
    assert len(found(api, "canary")) == (1 if mode == "hash" else 0)
    assert DayTotal.objects.get(archive_id=alice.pk).without_prompt == (2 if mode == "nothing" else 1)
    assert not repair(alice.pk)


def test_what_changes_after_it_has_ended_keeps_its_prompt(alice: User, api_of: ApiOf) -> None:
    archive(alice, call("a", prompt=CANARY))
    api = api_of(alice)
    apply(api, "whole")
    api.post("/api/privacy", {"mode": "nothing"})
    archive(alice, call("a", credits=7, prompt=""))
    assert Prompt.objects.get().text == CANARY


def test_another_choice_meanwhile_begins_again(alice: User, api_of: ApiOf) -> None:
    fill(alice)
    api = api_of(alice).entered()
    api.post("/api/privacy", {"mode": "beginning", "length": 10})
    api.post("/api/privacy/apply")
    Privacy.objects.update(at_archive=alice.pk, at_ts="2026-09-05 10:00:00", done=15)
    api.post("/api/privacy", {"mode": "nothing"})
    assert (Privacy.objects.get().done, Privacy.objects.get().at_ts) == (0, "")
    conversion.go_on()
    assert not Prompt.objects.exists()


def test_hashes_stay_hashes(alice: User, api_of: ApiOf) -> None:
    fill(alice, 3)
    api = api_of(alice).entered()
    apply(api, "hash")
    hashes = sorted(Prompt.objects.values_list("text", flat=True))
    for mode in ("hash", "whole", "beginning"):
        apply(api, mode)
        assert sorted(Prompt.objects.values_list("text", flat=True)) == hashes, mode
    apply(api, "nothing")
    assert not Prompt.objects.exists()


def test_notices_and_kept_exports_forget_prompts(alice: User, api_of: ApiOf) -> None:
    fill(alice, 1)
    dear = Message("notice_summary_call_prompt", spent="1", model="m", when="2026-09-07 10:00", prompt=CANARY)
    text = Message("notice_summary_before", before="1", change="+1 %", more=dear).stored()
    Notice.objects.create(user_id=alice.pk, event="week", cause="w", stored_begin=text, began_at=clock.now())
    apply(api_of(alice), "hash")
    assert "canary" not in Notice.objects.get().stored_begin
    assert "notice_summary_call" in Notice.objects.get().stored_begin


@pytest.mark.parametrize(
    "body",
    [{}, {"mode": "all"}, {"mode": "beginning", "length": 0}, {"mode": "beginning", "length": 10_001},
     {"mode": "beginning", "length": "x"}, {"mode": ["hash"]}],
)  # fmt: skip
def test_a_bad_choice_is_refused_and_changes_nothing(alice: User, api_of: ApiOf, body: dict[str, Any]) -> None:
    answer = api_of(alice).entered().post("/api/privacy", body)
    assert (answer.status_code, answer.json()["error"]) == (400, "bad_request")
    assert not Privacy.objects.exists()


def test_each_change_is_audited(alice: User, api_of: ApiOf) -> None:
    apply(api_of(alice), "beginning", 20)
    assert [str(entry.detail) for entry in Entry.objects.filter(action="privacy").order_by("pk")] != []
    assert Entry.objects.filter(action="privacy").count() == 2


def test_without_a_choice_all_is_kept(alice: User, api_of: ApiOf) -> None:
    assert api_of(alice).get("/api/privacy").json() == {"mode": "whole", "length": 100, "applied": None}


def test_one_converts_at_a_time_and_one_task_waits(alice: User, api_of: ApiOf) -> None:
    fill(alice)
    api = api_of(alice).entered()
    api.post("/api/privacy", {"mode": "nothing"})
    for _ in range(15):
        assert api.post("/api/privacy/apply").status_code == 200
    assert waiting_tasks.waiting(CONVERT_PROMPTS) == 1
    with turn_of("prompt-conversion"):
        assert conversion.go_on()
        assert Prompt.objects.count() == 30
    assert conversion.go_on()
    assert not Prompt.objects.exists()


def test_each_account_has_its_turn(alice: User, bob: User, api_of: ApiOf, monkeypatch: pytest.MonkeyPatch) -> None:
    for user in (alice, bob):
        fill(user)
        api = api_of(user).entered()
        api.post("/api/privacy", {"mode": "nothing"})
        api.post("/api/privacy/apply")
    begun: list[int] = []
    monkeypatch.setattr(conversion, "_convert", lambda row, until: begun.append(row.user_id))
    assert not conversion.go_on()
    assert sorted(begun) == sorted([alice.pk, bob.pk])


def test_another_choice_while_it_is_applied_is_applied_soon(alice: User, api_of: ApiOf) -> None:
    api = api_of(alice).entered()
    api.post("/api/privacy/apply")
    OrmQ.objects.all().delete()
    api.post("/api/privacy", {"mode": "nothing"})
    assert waiting_tasks.waiting(CONVERT_PROMPTS) == 1


@pytest.mark.engine
def test_hashes_are_found_in_no_other_mode(alice: User, api_of: ApiOf) -> None:
    fill(alice, 3)
    api = api_of(alice)
    apply(api, "hash")
    letters = "".join(Prompt.objects.values_list("text", flat=True))
    assert api.post("/api/privacy", {"mode": "whole"}).status_code == 200
    for wanted in {*letters.replace(" ", "")[1:], letters[1:6], letters[1:14]}:
        assert found(api, wanted) == [], wanted


@pytest.mark.engine
def test_equal_words_of_two_accounts_have_other_hashes(alice: User, bob: User, api_of: ApiOf) -> None:
    for user in (alice, bob):
        fill(user, 1)
        apply(api_of(user), "hash")
    hashes = [set(text[1:].split()) for text in Prompt.objects.values_list("text", flat=True)]
    assert hashes[0] & hashes[1] == set()


def test_a_choice_after_one_that_was_applied_is_not_applied_by_itself(alice: User, api_of: ApiOf) -> None:
    api = api_of(alice).entered()
    archive(alice, call("r1", prompt="canary of the first day"))
    api.post("/api/privacy", {"mode": "beginning", "length": 9})
    api.post("/api/privacy/apply")
    assert conversion.go_on()
    assert api.get("/api/privacy").json()["applied"]["applied_at"]
    api.post("/api/privacy", {"mode": "beginning", "length": 9})
    assert api.get("/api/privacy").json()["applied"]["applied_at"]
    for changed in ({"mode": "beginning", "length": 5}, {"mode": "nothing"}):
        api.post("/api/privacy", changed)
        assert api.get("/api/privacy").json()["applied"] is None
        assert not policy.is_asked_of_stored(alice.pk)
    assert Prompt.objects.get().text == "canary of"


@pytest.mark.postgres_only
@pytest.mark.django_db(transaction=True)
def test_a_page_that_began_before_the_choice_is_converted_too(
    alice: User, api_of: ApiOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    api, began, goes_on = api_of(alice).entered(), Event(), Event()

    def wait(*given: Any) -> Any:
        # The page knows the choice by now, and has written nothing that the next one waits for.
        began.set()
        assert goes_on.wait(60)
        return with_last_values(*given)

    monkeypatch.setattr("usage.ingest.with_last_values", wait)

    def store() -> None:
        with transaction.atomic():
            archive(alice, call("late", prompt="canary of a page"))

    def convert() -> None:
        assert began.wait(60)
        api.post("/api/privacy", {"mode": "nothing"})
        api.post("/api/privacy/apply")
        assert conversion.go_on()

    def go_on_once_the_conversion_waits() -> None:
        wait_until(lambda: fetch(WAITING) == [(1,)])
        goes_on.set()

    assert together(store, convert, go_on_once_the_conversion_waits) == [None, None, None]
    assert not Prompt.objects.exists()
