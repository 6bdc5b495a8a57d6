"""GET /api/changes: a mirror that reads what changed equals the archive after each read (docs/api.md#changes)."""

import random
import uuid
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest
from django.core.cache import caches

from accounts.models import Store, User
from accounts.store_identity import open_store
from archive_site.archive_adoption import adopt_archive
from tests.factories import ApiClient
from tests.standing_clock import SetClock
from tests.usage.record_factories import archive, call, plans_of
from usage.bulk_ingest import Bulk
from usage.change_log import reads, writes
from usage.change_log.place import END, Place
from usage.incoming.record import IncomingRecord
from usage.ingest import fill_prompts
from usage.models import Record, RecordChange, RemovedRecord

ApiOf = Callable[[User], ApiClient]
pytestmark = pytest.mark.django_db
PATH = "/api/changes"


class Mirror:
    """A copy of an account's archive, kept by the cursor alone."""

    def __init__(self, api: ApiClient, size: int = 7):
        self.api = api
        self.size = size
        self.since = ""
        self.records: dict[str, dict[str, Any]] = {}

    def pull(self) -> int:
        """Read until there is no more; gives how many records came."""
        came = 0
        # The reads of a test are those of many minutes.
        caches["counters"].clear()
        while True:
            answer = self.api.get(PATH, since=self.since, size=self.size).json()
            for name in answer["removed"]:
                del self.records[name]
            for record in (*answer["added"], *answer["changed"]):
                self.records[record["request_id"]] = record
            came += len(answer["added"]) + len(answer["changed"])
            self.since = answer["next"]
            if not answer["more"]:
                return came


def content(user_id: int) -> dict[str, dict[str, Any]]:
    """The archive itself."""
    return {
        record.request_id: {
            "request_id": record.request_id,
            "credits": record.credits / 10**6,
            "model": record.model,
            "client": record.client,
            "ts": record.ts,
            "agent_purpose": record.agent_purpose,
            "prompt_truncated": record.prompt_truncated,
            "prompt": record.prompt.text if hasattr(record, "prompt") else "",
        }
        for record in Record.objects.select_related("prompt").filter(archive_id=user_id)
    }


def some(dice: random.Random) -> list[IncomingRecord]:
    """New and known calls, some of which have changed."""
    return [
        call(
            f"r{dice.randrange(80):02}",
            ts=f"2026-09-{1 + dice.randrange(6):02} 0{dice.randrange(8)}:00:00",
            credits=dice.randrange(5),
            model=f"m{dice.randrange(3)}",
            prompt="x" * dice.randrange(40),
            agent_purpose=dice.choice(("", "chat")),
        )
        for _ in range(dice.randrange(1, 12))
    ]


def imported(user_id: int, records: list[IncomingRecord]) -> None:
    bulk = Bulk(user_id, run_id=None, max_prompt=20000)
    for at in range(0, len(records), 3):
        bulk.take_in(records[at : at + 3])
    bulk.finish()


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.thorough) for seed in (1, 2, 3))])
def test_a_mirror_equals_the_archive_after_each_of_a_hundred_changes(
    alice: User, bob: User, api_of: ApiOf, seed: int
) -> None:
    dice = random.Random(seed)  # noqa: S311 - repeatable changes
    mirror = Mirror(api_of(alice), size=dice.choice((3, 7, 500)))
    adopted = 0
    for number in range(100):
        kind = dice.choice(("collection", "collection", "prompts", "import", "adoption", "another's"))
        if kind == "collection":
            archive(alice, *some(dice))
        elif kind == "prompts":
            fill_prompts(alice.pk, [replace(one, prompt="y" * 50) for one in some(dice)], max_prompt=20000)
        elif kind == "import":
            imported(alice.pk, some(dice))
        elif kind == "another's":
            archive(bob, *some(dice))
        elif adopted < 5:
            adopted += 1
            archive(10_000 + number, *some(dice))
            adopt_archive(10_000 + number, alice)
        mirror.pull()
        assert mirror.records == content(alice.pk)
    assert adopted


def test_only_what_changed_is_read(alice: User, api_of: ApiOf) -> None:
    mirror = Mirror(api_of(alice), size=50)
    archive(alice, *(call(f"r{number}") for number in range(200)))
    assert mirror.pull() == 200
    assert mirror.pull() == 0
    archive(alice, call("r7"), call("r8", credits=9), call("new"))
    answer = mirror.api.get(PATH, since=mirror.since).json()
    assert [one["request_id"] for one in answer["added"]] == ["new"]
    assert [one["request_id"] for one in answer["changed"]] == ["r8"]
    assert (answer["removed"], answer["more"]) == ([], False)


def test_what_is_removed_is_listed_once(alice: User, api_of: ApiOf, time: SetClock) -> None:
    archive(alice, call("a", credits=1), call("b"))
    mirror = Mirror(api_of(alice))
    mirror.pull()
    time.pass_by(seconds=1)
    # The older of two twins is dropped before the newer one is moved.
    archive(777, call("a", credits=5))
    adopt_archive(777, alice)
    answer = mirror.api.get(PATH, since=mirror.since).json()
    assert (answer["removed"], [one["credits"] for one in answer["added"]]) == (["a"], [5.0])
    assert not RecordChange.objects.filter(archive_id=777).exists()
    mirror.pull()
    assert mirror.records == content(alice.pk)


def test_what_comes_while_it_is_read_is_left_to_the_next(alice: User, api_of: ApiOf) -> None:
    archive(alice, call("a"))
    mirror = Mirror(api_of(alice))
    last = writes.last_number

    def then_comes_another(user_id: int) -> int:
        number: int = last(user_id)
        archive(alice, call("late"))
        return number

    with patch.object(reads, "last_number", then_comes_another):
        mirror.pull()
    assert set(mirror.records) == {"a"}
    mirror.pull()
    assert mirror.records == content(alice.pk)


def test_nothing_changed_is_304(alice: User, api_of: ApiOf) -> None:
    archive(alice, call("a"))
    api = api_of(alice)
    first = api.get(PATH)
    assert first.json()["added"][0]["request_id"] == "a"
    again = api.client.get(PATH, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_an_empty_archive_has_a_place_too(alice: User, api_of: ApiOf) -> None:
    mirror = Mirror(api_of(alice))
    assert mirror.pull() == 0
    archive(alice, call("a"))
    assert mirror.pull() == 1


def test_after_a_restore_the_place_is_gone(alice: User, api_of: ApiOf) -> None:
    open_store()
    archive(alice, call("a"))
    mirror = Mirror(api_of(alice))
    mirror.pull()
    Store.objects.update(store_id=uuid.uuid4())
    answer = mirror.api.get(PATH, since=mirror.since)
    assert (answer.status_code, answer.json()["error"]) == (410, "cursor_gone")


def test_anothers_place_is_gone(alice: User, bob: User, api_of: ApiOf) -> None:
    archive(alice, call("a"))
    archive(bob, call("theirs"))
    mirror = Mirror(api_of(alice))
    mirror.pull()
    assert api_of(bob).get(PATH, since=mirror.since).json()["error"] == "cursor_gone"


def test_a_place_that_is_not_reached_yet_is_gone(alice: User, api_of: ApiOf) -> None:
    archive(alice, call("a"))
    place = Place.read(api_of(alice).get(PATH).json()["next"])
    assert place
    ahead = replace(place, number=place.number + 1).as_text()
    assert api_of(alice).get(PATH, since=ahead).status_code == 410


@pytest.mark.parametrize("since", ["x", "....", "é", "W10", "W251bGxd", Place("s", 1, -1).as_text(), "A" * 4000])
def test_what_is_no_place_is_refused(alice: User, api_of: ApiOf, since: str) -> None:
    answer = api_of(alice).get(PATH, since=since)
    assert (answer.status_code, answer.json()["error"]) == (400, "bad_request")


@pytest.mark.engine
def test_an_erased_archive_leaves_nothing(alice: User, root: User, api_of: ApiOf, time: SetClock) -> None:
    archive(alice, call("a"))
    time.pass_by(seconds=1)
    archive(777, call("a", credits=5))
    adopt_archive(777, alice)
    assert RemovedRecord.objects.count() == 1
    assert api_of(root).post(f"/api/users/{alice.pk}/delete").status_code == 200
    assert (RecordChange.objects.count(), RemovedRecord.objects.count()) == (0, 0)


def test_the_index_leads_to_what_changed(alice: User) -> None:
    archive(alice, *(call(f"r{number}") for number in range(300)))
    _, changes, *_ = plans_of(lambda: reads.changes_since(Place("s", alice.pk, 1, END), 5))
    assert "change_by_number" in changes
