"""The archives of an account: docs/api.md#archives."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from accounts import archive_changes, archives, config
from accounts.credentials import credential
from accounts.models import Archive, Erasure, Setting, User
from archive_site import account_deletion
from archive_site.lib import clock
from archive_site.lib.stored_message import Message
from audit.models import Entry
from collection.models import Run
from collection.runs import runs
from collection.runs.run_outcomes import COOKIE_EXPIRED
from collection.sources.codebuddy.simulator.simulator import Simulator
from collection.sources.keyed import KeyTrial
from collection.sources.kinds import require_way
from tests.collection.collector_run import set_up
from tests.collection.simulator_client import NOW, simulator_at
from tests.factories import ApiClient, further_archive
from tests.standing_clock import SetClock
from tests.usage.record_factories import archive, call
from usage import rates
from usage.models import DayTotal, Record

ApiOf = Callable[[User], ApiClient]
pytestmark = pytest.mark.django_db
COOKIE = "session=abcdefghijklmnop1234"


def made(api: ApiClient, **fields: object) -> int:
    answer = api.post("/api/archives", {"kind": "codebuddy", "label": "At work", **fields})
    assert answer.status_code == 200, answer.content
    return int(answer.json()["id"])


def test_the_first_archive_is_there_from_the_beginning(alice: User, api_of: ApiOf) -> None:
    [first] = api_of(alice).get("/api/archives").json()["items"]
    assert first == {
        "id": alice.pk, "kind": "codebuddy", "label": "CodeBuddy", "unit": "credits",
        "address": "https://www.codebuddy.cn", "state": "no_credential", "first_day": None, "last_day": None,
        "records": 0, "primary": True, "rate": None, "format": None, "proves": None,
    }  # fmt: skip


@pytest.mark.engine
def test_another_archive_is_made_with_its_own_credential(alice: User, api_of: ApiOf) -> None:
    api = api_of(alice)
    second = made(api, label="  At \n work ", credential={"cookie": COOKIE, "user_agent": "Browser/1"})
    archive(second, call("a", ts="2026-08-01 10:00:00"), call("b", ts="2026-08-03 10:00:00"))
    assert api.get("/api/archives").json()["items"][1] == {
        "id": second, "kind": "codebuddy", "label": "At work", "unit": "credits",
        "address": "https://www.codebuddy.cn", "state": "ready", "first_day": "2026-08-01", "last_day": "2026-08-03",
        "records": 2, "primary": False, "rate": None, "format": None, "proves": None,
    }  # fmt: skip
    assert (credential.reveal(second), credential.is_set(alice.pk)) == (COOKIE, False)
    assert COOKIE not in "".join(Setting.objects.values_list("value", flat=True))
    assert [(one.action, one.search_text) for one in Entry.objects.all()] == [
        ("archive_create", f"At work (codebuddy, id {second})")
    ]


def test_states_say_what_is_wrong_with_a_credential(alice: User, api_of: ApiOf) -> None:
    api = api_of(alice)
    second, third = made(api, credential={"cookie": COOKIE}), made(api, credential={"cookie": COOKIE})
    Setting.objects.filter(user_id=second, key="cookie").update(value="x")
    run = runs.begin(third, Run.Trigger.MANUAL, clock.now(), clock.now())
    runs.finish(run, COOKIE_EXPIRED, Message("stopped"), runs.Journal(run.pk), actor="alice")
    assert [one["state"] for one in api.get("/api/archives").json()["items"]] == ["no_credential", "broken", "refused"]


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"kind": "none"}, "kind"),
        ({"kind": None}, "kind"),
        ({"kind": ["codebuddy"]}, "kind"),
        ({"label": ""}, "label"),
        ({"label": "  "}, "label"),
        ({"label": "x" * 61}, "label"),
        ({"label": "a\x00b"}, "label"),
        ({"label": 7}, "label"),
        ({"credential": "text"}, "credential"),
        ({"credential": {"cookie": "a=b\x01"}}, "credential"),
        ({"credential": {"cookie": ["x"]}}, "credential"),
        ({"credential": {"key": "sk-1"}}, "credential"),
        ({"credential": {"cookie": COOKIE, "user_agent": "a\nb"}}, "credential"),
    ],
)
def test_a_wrong_field_is_named_and_nothing_is_made(
    fields: dict[str, object], field: str, alice: User, api_of: ApiOf
) -> None:
    answer = api_of(alice).post("/api/archives", {"kind": "codebuddy", "label": "At work", **fields})
    assert (answer.status_code, answer.json()["error"], answer.json()["field"]) == (400, "bad_request", field)
    assert Archive.objects.filter(user_id=alice.pk).count() == 1
    assert not Setting.objects.filter(key__in=["cookie", "user_agent"]).exists()
    assert not Entry.objects.exists()


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"address": None}, "address"),
        ({}, "address"),
        ({"address": "http://gateway.example.org"}, "address"),
        ({"address": "https://127.0.0.1"}, "address"),
        ({"address": "https://gateway.example.org", "credential": {"cookie": COOKIE}}, "credential"),
        ({"address": "https://gateway.example.org", "credential": {"key": "sk 1 2 3 4 5"}}, "credential"),
        ({"address": "https://gateway.example.org", "credential": {"key": "sk-1"}}, "credential"),
        ({"address": "https://gateway.example.org", "credential": {"key": None}}, "credential"),
        ({"address": "https://gateway.example.org", "credential": {"key": "sk-\u0430bcdefgh"}}, "credential"),
        ({"address": "https://gateway.example.org", "format": "cursor"}, "format"),
        ({"address": "https://gateway.example.org", "proves": 1}, "proves"),
        ({"kind": "codebuddy", "address": "https://gateway.example.org"}, "address"),
    ],
)
def test_a_wrong_field_of_a_gateway_is_named_and_nothing_is_made(
    fields: dict[str, object], field: str, alice: User, api_of: ApiOf
) -> None:
    answer = api_of(alice).post("/api/archives", {"kind": "litellm", "label": "Gateway", **fields})
    assert (answer.status_code, answer.json()["error"], answer.json()["field"]) == (400, "bad_request", field)
    assert (Archive.objects.filter(user_id=alice.pk).count(), Entry.objects.count()) == (1, 0)


def test_an_archive_of_a_gateway_has_an_address_and_loses_its_key_with_it(alice: User, api_of: ApiOf) -> None:
    api, key = api_of(alice), {"key": "sk-abcdefghijklmnop"}
    gateway = made(api, kind="litellm", address="https://gateway.example.org/v1", credential=key)
    found = api.get("/api/archives").json()["items"][1]
    assert (found["kind"], found["unit"], found["address"], found["state"]) == (
        "litellm", "USD", "https://gateway.example.org", "ready",
    )  # fmt: skip
    assert key["key"] not in api.get("/api/archives").content.decode()
    same = {"address": "https://gateway.example.org", "label": "Mine"}
    assert api.post(f"/api/archives/{gateway}", same).json()["ok"] is True
    assert credential.reveal(gateway) == key["key"]
    assert api.post(f"/api/archives/{gateway}", {"address": "https://elsewhere.example.org"}).json()["ok"] is True
    assert not credential.is_set(gateway)
    both = {"address": "https://gateway.example.org", "credential": key}
    assert api.post(f"/api/archives/{gateway}", both).json()["ok"] is True
    assert (credential.reveal(gateway), Archive.objects.get(pk=gateway).address) == (key["key"], both["address"])
    assert api.post(f"/api/archives/{gateway}", {"address": None}).json()["field"] == "address"


def test_a_key_goes_to_no_other_address_that_is_given_meanwhile(
    alice: User, api_of: ApiOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    api, reveal = api_of(alice), credential.reveal
    here, there = "https://gateway.example.org", "https://elsewhere.example.org"
    gateway = made(api, kind="litellm", address=here, credential={"key": "sk-abcdefghijkl"})

    def revealed(archive_id: int) -> str:
        found = reveal(archive_id)
        monkeypatch.setattr(credential, "reveal", reveal)
        moved = {"address": there, "credential": {"key": "sk-mnopqrstuvwx"}}
        assert api.post(f"/api/archives/{archive_id}", moved).json()["ok"] is True
        return found

    monkeypatch.setattr(credential, "reveal", revealed)
    trial = require_way(gateway).trial(gateway, {}, config.instance_settings())
    assert isinstance(trial, KeyTrial)
    assert (trial.access.address, trial.access.fields) == (there, {"key": "sk-mnopqrstuvwx"})


def test_of_two_changes_at_once_one_gives_no_old_address_back(
    alice: User, api_of: ApiOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    api, rate_in = api_of(alice), rates.rate_in
    here, there = "https://gateway.example.org", "https://elsewhere.example.org"
    gateway = made(api, kind="litellm", address=here, credential={"key": "sk-abcdefghijkl"})

    def meanwhile(given: object, unit: str) -> rates.Rate | None:
        monkeypatch.setattr(rates, "rate_in", rate_in)
        moved = {"address": there, "credential": {"key": "sk-mnopqrstuvwx"}}
        assert api.post(f"/api/archives/{gateway}", moved).json()["ok"] is True
        return rate_in(given, unit)

    # It has read the archive when the other one moves it.
    monkeypatch.setattr(rates, "rate_in", meanwhile)
    assert api.post(f"/api/archives/{gateway}", {"label": "Renamed"}).json()["ok"] is True
    changed = Archive.objects.get(pk=gateway)
    assert (changed.label, changed.address, credential.reveal(gateway)) == ("Renamed", there, "sk-mnopqrstuvwx")


def test_deleted_bills_are_in_no_answer_that_a_browser_has(alice: User, api_of: ApiOf) -> None:
    api = api_of(alice)
    gateway = made(api, kind="litellm", address="https://gateway.example.org")
    bills = made(api, kind="openai-costs", proves=gateway)
    before = api.get(f"/api/coverage?archive={gateway}").headers["ETag"]
    assert api.post(f"/api/archives/{bills}/delete", {"label": "At work"}).json()["ok"] is True
    assert api.get(f"/api/coverage?archive={gateway}").headers["ETag"] != before


def test_private_addresses_are_for_administrators_where_the_instance_allows_them(
    alice: User, root: User, api_of: ApiOf, settings: Any
) -> None:
    given = {"kind": "litellm", "label": "Home", "address": "http://10.0.0.7:4000"}
    assert api_of(root).post("/api/archives", given).status_code == 400
    settings.SOURCES_PRIVATE = True
    assert api_of(root).post("/api/archives", given).status_code == 200
    assert api_of(alice).post("/api/archives", given).json()["field"] == "address"


@pytest.mark.engine
def test_an_account_has_at_most_twenty(alice: User, api_of: ApiOf) -> None:
    for _ in range(archives.MOST - 1):
        further_archive(alice)
    answer = api_of(alice).post("/api/archives", {"kind": "codebuddy", "label": "One more"})
    assert (answer.status_code, "20" in answer.json()["message"]) == (400, True)


@pytest.mark.engine
def test_label_and_credential_change_together_or_not_at_all(alice: User, api_of: ApiOf) -> None:
    api = api_of(alice)
    second = made(api, credential={"cookie": COOKIE})
    refused = api.post(f"/api/archives/{second}", {"label": "Renamed", "credential": {"cookie": "a=b\x01"}})
    assert refused.json()["field"] == "credential"
    assert Archive.objects.get(pk=second).label == "At work"
    assert api.post(f"/api/archives/{second}", {"label": "Renamed", "credential": None}).json()["ok"] is True
    assert (Archive.objects.get(pk=second).label, credential.is_set(second)) == ("Renamed", False)
    assert api.post(f"/api/archives/{second}", {"kind": "litellm"}).json()["field"] == "kind"
    assert api.post(f"/api/archives/{second}", {"kind": "codebuddy"}).json()["ok"] is True
    # The first one is renamed likewise, and its credential is that of the settings.
    assert (
        api.post(f"/api/archives/{alice.pk}", {"label": "Mine", "credential": {"cookie": COOKIE}}).json()["ok"] is True
    )
    assert api.get("/api/settings").json()["cookie_hint"].startswith(str(len(COOKIE)))


@pytest.mark.parametrize("action", ["", "/test", "/delete"])
def test_that_of_another_account_does_not_exist(action: str, alice: User, bob: User, api_of: ApiOf) -> None:
    own = further_archive(bob)
    for other in (own, bob.pk, 2**40, 0):
        answer = api_of(alice).post(f"/api/archives/{other}{action}", {"label": "At work"})
        assert (answer.status_code, answer.json()["error"]) == (404, "not_found")
    assert Archive.objects.get(pk=own).deleted_at is None


@pytest.fixture
def upstream(time: SetClock) -> Iterator[Simulator]:
    time.now = NOW
    with simulator_at(accounts=2, now=NOW) as running:
        yield running


def test_a_test_asks_the_source_with_the_archives_own_credential(
    alice: User, api_of: ApiOf, upstream: Simulator
) -> None:
    set_up(alice, upstream)
    api = api_of(alice)
    second = made(api)
    assert api.post(f"/api/archives/{second}/test").json()["error"] == "no_cookie"
    answer = api.post(f"/api/archives/{second}/test", {"credential": {"cookie": upstream.cookie(1)}})
    assert (answer.json()["ok"], answer.json()["outcome"]) == (True, "fine")
    assert not credential.is_set(second)
    # The interval is that of the account.
    assert api.post(f"/api/archives/{alice.pk}/test").json()["error"] == "too_frequent"


@pytest.mark.engine
def test_an_archive_is_deleted_with_its_data_after_its_label_was_repeated(alice: User, api_of: ApiOf) -> None:
    api = api_of(alice)
    second = made(api, credential={"cookie": COOKIE})
    for one in (alice.pk, second):
        archive(one, call("a"))
        runs.begin(one, Run.Trigger.MANUAL, clock.now(), clock.now())
    for label in ("at work", "", None, ["At work"]):
        assert api.post(f"/api/archives/{second}/delete", {"label": label}).json()["field"] == "label"
    assert api.post(f"/api/archives/{second}/delete", {"label": "At work"}).json()["ok"] is True
    assert not Archive.objects.filter(pk=second).exists()
    for model in (Record, DayTotal, Run):
        assert set(model.objects.values_list("archive_id", flat=True)) == {alice.pk}
    assert not Setting.objects.filter(user_id=second).exists()
    assert not Erasure.objects.exists()
    assert api.post(f"/api/archives/{second}/delete", {"label": "At work"}).status_code == 404
    assert Entry.objects.filter(action="archive_delete").count() == 1


def test_the_first_archive_stays(alice: User, api_of: ApiOf) -> None:
    assert api_of(alice).post(f"/api/archives/{alice.pk}/delete", {"label": "CodeBuddy"}).status_code == 400
    assert Archive.objects.filter(pk=alice.pk, deleted_at=None).exists()


@pytest.mark.engine
def test_a_deletion_that_was_interrupted_is_finished_by_the_housekeeping(
    alice: User, api_of: ApiOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = api_of(alice)
    second = made(api)
    archive(second, call("a"))
    monkeypatch.setattr(account_deletion, "PATIENCE", -1)
    assert api.post(f"/api/archives/{second}/delete", {"label": "At work"}).json()["ok"] is True
    # Gone for everybody, and still there.
    assert [one["id"] for one in api.get("/api/archives").json()["items"]] == [alice.pk]
    assert Record.objects.filter(archive_id=second).exists()
    assert archives.owner_of(second) == alice.pk
    assert account_deletion.resume_erasures()
    assert not Record.objects.filter(archive_id=second).exists()
    assert not Archive.objects.filter(pk=second).exists()


def test_many_who_make_an_archive_at_once_stay_below_the_limit(alice: User) -> None:
    for _ in range(archives.MOST - 1):
        assert archive_changes.add(alice.pk, kind="codebuddy", label="x", unit="credits")
    assert archive_changes.add(alice.pk, kind="codebuddy", label="x", unit="credits") is None


@pytest.mark.parametrize("action", ["", "/{id}", "/{id}/delete"])
def test_changes_ask_for_the_password_again_where_the_instance_does(
    action: str, alice: User, api_of: ApiOf, settings: Any, time: SetClock
) -> None:
    settings.REAUTHENTICATE_MINUTES = 5
    second, api = further_archive(alice), api_of(alice)
    time.pass_by(minutes=6)
    answer = api.post(f"/api/archives{action.format(id=second)}", {"kind": "codebuddy", "label": "At work"})
    assert (answer.status_code, answer.json()["error"]) == (403, "reauthenticate")
    assert Archive.objects.filter(user_id=alice.pk, deleted_at=None).count() == 2


def test_a_doubtful_credential_is_stored_with_a_warning(alice: User, api_of: ApiOf) -> None:
    api, doubtful = api_of(alice), {"cookie": "marker|1790000000|0123abcd"}
    answer = api.post("/api/archives", {"kind": "codebuddy", "label": "At work", "credential": doubtful}).json()
    assert len(answer["warnings"]) == 1
    assert len(api.post(f"/api/archives/{answer['id']}", {"credential": doubtful}).json()["warnings"]) == 1
    assert credential.reveal(answer["id"]) == doubtful["cookie"]


def test_what_the_source_said_goes_with_a_test_that_failed(alice: User, api_of: ApiOf, upstream: Simulator) -> None:
    set_up(alice, upstream)
    api = api_of(alice)
    second = made(api, credential={"cookie": upstream.cookie(1)})
    upstream.faults.fail("api_code")
    assert "usage service is being maintained" in api.post(f"/api/archives/{second}/test").json()["detail"]


def test_a_test_of_a_credential_that_cannot_be_read_or_understood_says_so(alice: User, api_of: ApiOf) -> None:
    api = api_of(alice)
    second = made(api, credential={"cookie": COOKIE})
    assert api.post(f"/api/archives/{second}/test", {"credential": "text"}).json()["field"] == "credential"
    Setting.objects.filter(user_id=second, key="cookie").update(value="x")
    assert api.post(f"/api/archives/{second}/test").json()["error"] == "cookie_broken"


def test_no_list_or_log_has_the_credential(alice: User, api_of: ApiOf) -> None:
    api = api_of(alice)
    second = made(api, credential={"cookie": COOKIE})
    shown = api.get("/api/archives").content.decode() + "".join(one.search_text for one in Entry.objects.all())
    assert COOKIE not in shown
    answer = api.post(f"/api/archives/{second}", {"credential": {"cookie": f"{COOKIE}\x01"}})
    assert COOKIE not in answer.content.decode()
