"""The keys of prompts that were stored before an upgrade (docs/decisions/records.md#what-repeats)."""

from collections.abc import Callable

import pytest

from accounts.models import User
from archive_site.tasks import housekeeping
from tests.factories import ApiClient
from tests.usage.record_factories import archive, call, plans_of
from usage.models import Record
from usage.repeated import key_filling
from usage.repeated.prompt_key import prompt_key

ApiOf = Callable[[User], ApiClient]
pytestmark = pytest.mark.django_db


@pytest.fixture
def upgraded(alice: User, bob: User) -> User:
    """An archive of an earlier version, beside another one."""
    archive(alice, *(call(f"{number}", prompt="go on" if number % 2 else "") for number in range(4)))
    archive(bob, call("b", prompt="stop"))
    Record.objects.update(prompt_key=None)
    return alice


def keys() -> dict[str, int | None]:
    return dict(Record.objects.values_list("request_id", "prompt_key"))


@pytest.mark.engine
def test_the_housekeeping_fills_what_is_missing(upgraded: User, api_of: ApiOf) -> None:
    before = api_of(upgraded).get("/api/repeated")
    assert (before.json()["items"], before.json()["prepared"]) == ([], 0)
    housekeeping()
    after = api_of(upgraded).client.get("/api/repeated", headers={"If-None-Match": before.headers["ETag"]})
    assert [(item["prompt"], item["calls"]) for item in after.json()["items"]] == [("go on", 2)]
    assert "prepared" not in after.json()
    assert key_filling.missing(upgraded.pk) == 0


def test_the_keys_are_those_that_new_records_get(upgraded: User) -> None:
    Record.objects.all().delete()
    archive(upgraded, call("a", prompt="Fix #12: " + "ﷺ" * 500), call("b"))
    given = keys()
    Record.objects.update(prompt_key=None)
    assert key_filling.fill_all()
    assert keys() == given


@pytest.mark.engine
def test_it_goes_on_where_it_broke_off(upgraded: User, monkeypatch: pytest.MonkeyPatch, api_of: ApiOf) -> None:
    assert not key_filling.fill_all(seconds=0)
    monkeypatch.setattr(key_filling, "_ROWS", 5)
    archived = Record.objects.filter(archive_id=upgraded.pk).order_by("pk")
    Record.objects.filter(pk__in=archived[:3].values("pk")).update(prompt_key=1)
    assert api_of(upgraded).get("/api/repeated").json()["prepared"] == 75
    assert key_filling.fill_all()
    assert None not in keys().values()


def test_a_changed_record_without_a_key_keeps_none_and_a_new_prompt_gives_it_one(upgraded: User) -> None:
    archive(upgraded, call("1", credits=9), call("2", prompt="go on"))
    found = keys()
    assert found["1"] is None
    assert found["2"]


def test_what_changes_between_reading_and_storing_stays(upgraded: User, monkeypatch: pytest.MonkeyPatch) -> None:
    """A page of a collection comes while the keys of prompts that were read are computed."""

    def interrupted(text: str) -> int:
        monkeypatch.setattr(key_filling, "prompt_key", prompt_key)
        archive(upgraded, call("1", prompt="go on and on"))
        return prompt_key(text)

    monkeypatch.setattr(key_filling, "prompt_key", interrupted)
    assert key_filling.fill_all()
    assert keys()["1"] == prompt_key("go on and on")


@pytest.mark.sqlite_only
def test_what_is_missing_is_found_by_an_index(upgraded: User) -> None:
    accounts, read, *_, counted = plans_of(lambda: (key_filling.fill_all(), key_filling.missing(upgraded.pk)))
    assert accounts == "SCAN r USING COVERING INDEX record_without_prompt_key"
    assert "SEARCH r USING COVERING INDEX record_without_prompt_key (user_id=? AND prompt_key=? AND id>?)" in read
    assert counted == "SEARCH r USING COVERING INDEX record_without_prompt_key (user_id=? AND prompt_key=?)"
