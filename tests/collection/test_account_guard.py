"""The calls of two accounts of the upstream never meet in one archive (docs/decisions/collection.md#one-account)."""

import json
from base64 import urlsafe_b64encode
from dataclasses import replace
from datetime import date, datetime, timedelta
from typing import Any, Literal

import pytest

from accounts import config
from accounts.credentials import credential
from accounts.models import INSTANCE, User
from archive_site.lib import clock
from collection import account_guard, account_of_archive, watermark
from collection.models import AccountOfArchive, Run
from collection.reading import prompt_backfill
from collection.runs import run_start
from collection.runs.run_outcomes import CollectionEnded
from collection.sources.codebuddy.session_cookie import account_of
from collection.sources.codebuddy.simulator.simulator import Simulator
from collection.verification import verification
from tests.archive_site.commands import manage_here
from tests.collection.collector_run import call_at, collected, contents, set_up, truth
from tests.collection.simulator_client import NOW
from tests.factories import ApiClient
from tests.standing_clock import SetClock
from tests.usage.retention.kept_archives import keep
from usage.erasure import erase_readings
from usage.models import CoverageDay, Order, Package, Record
from usage.stored_size import repair

FormOfPackages = Literal["response", "plain", "resources"]
MINE, THEIRS = "a95fdb00-1111-4222-8333-944455556666", "0c3d77e1-9999-4888-8777-655544443333"


@pytest.fixture
def alice(alice: User, upstream: Simulator) -> User:
    set_up(alice, upstream, page_size=200, collect_max_range_days=11)
    return alice


def named(cookie: str, subject: str) -> str:
    """A cookie with the identity token of a sign-in."""
    header, payload = (
        urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")
        for part in ({"alg": "HS512"}, {"sub": subject, "typ": "Serialized-ID"})
    )
    return f"KEYCLOAK_IDENTITY={header}.{payload}.c2lnbmF0dXJl; {cookie}"


def fetched_in_all(upstream: Simulator) -> int:
    return len(upstream.requests_seen)


@pytest.mark.engine
def test_calls_of_another_account_are_not_stored(alice: User, upstream: Simulator, time: SetClock) -> None:
    collected(alice)
    before = contents(alice)
    credential.store(alice.pk, upstream.cookie(1))
    time.pass_by(hours=5)
    result = collected(alice)
    assert (result.run.status, result.run.exit_code, result.outcome.error, result.outcome.http) == (
        Run.Status.FAILED, 5, "api", 502,
    )  # fmt: skip
    assert contents(alice) == before
    assert "another account" in result.run.message
    # Both are named, by calls that the owner can look up.
    ids = {call.request_id for call in upstream.rows(1)}
    assert any(request_id in result.run.message for request_id in ids)
    assert any(request_id in result.run.message for request_id in before)
    assert not any(part in result.run.message for part in upstream.cookie(1).split("|"))


def test_packages_of_another_account_are_not_stored(alice: User, upstream: Simulator) -> None:
    collected(alice)
    Package.objects.all().delete()
    credential.store(alice.pk, upstream.cookie(1))
    collected(alice)
    assert not Package.objects.exists()


def test_after_all_calls_were_erased_another_account_is_none_of_the_archive(
    alice: User, upstream: Simulator, time: SetClock
) -> None:
    set_up(alice, upstream, packages=0, page_size=200, collect_max_range_days=11)
    credential.store(alice.pk, named(upstream.cookie(), MINE))
    collected(alice)
    time.pass_by(days=5)
    keep(alice, calls_days=1)
    upstream.add(1, *(call_at(time.now - timedelta(minutes=n), f"theirs-{n}") for n in range(1, 20)))
    credential.store(alice.pk, named(upstream.cookie(1), THEIRS))
    assert collected(alice).outcome.error == "api"
    assert not Record.objects.exists()
    # The account goes on.
    credential.store(alice.pk, named(upstream.cookie(), MINE))
    assert collected(alice).run.status == Run.Status.OK


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("form", ["other order", "other cookies", "other agent"])
def test_a_new_cookie_of_the_same_account_goes_on(alice: User, upstream: Simulator, form: str) -> None:
    collected(alice)
    cookie = upstream.cookie()
    new = {"other order": "; ".join(reversed(cookie.split("; "))), "other cookies": f"x=1; {cookie}"}.get(form, cookie)
    credential.store(alice.pk, new)
    if form == "other agent":
        config.write({"user_agent": "Another/1.0"}, archive_id=alice.pk, may_edit_instance=False)
    upstream.add(0, call_at(NOW - timedelta(minutes=1), "new"))
    assert collected(alice).run.status == Run.Status.OK
    assert contents(alice) == truth(upstream)


def test_a_cookie_is_looked_at_once(alice: User, upstream: Simulator) -> None:
    collected(alice)
    credential.store(alice.pk, f"x=1; {upstream.cookie()}")
    before = fetched_in_all(upstream)
    collected(alice)
    first = fetched_in_all(upstream) - before
    collected(alice)
    assert fetched_in_all(upstream) - before - first == first - 1


def test_an_archive_of_an_earlier_version_is_looked_at_once(alice: User, upstream: Simulator) -> None:
    collected(alice)
    AccountOfArchive.objects.all().delete()
    assert collected(alice).run.status == Run.Status.OK
    assert AccountOfArchive.objects.get().confirmed


def test_four_calls_tell_nothing(alice: User, upstream: Simulator) -> None:
    collected(alice)
    keep = Record.objects.order_by("-ts").values_list("pk", flat=True)[:4]
    Record.objects.exclude(pk__in=list(keep)).delete()
    credential.store(alice.pk, upstream.cookie(1))
    assert collected(alice).run.status == Run.Status.OK


def test_where_no_call_comes_nothing_is_known(alice: User, upstream: Simulator) -> None:
    collected(alice)
    for call in upstream.rows(1):
        upstream.remove(1, call.request_id)
    credential.store(alice.pk, upstream.cookie(1))
    assert collected(alice).run.status == Run.Status.OK
    # Once there are some, it is.
    upstream.add(1, *[call_at(NOW - timedelta(hours=2, minutes=n), f"theirs-{n}") for n in range(9)])
    assert collected(alice).run.status == Run.Status.FAILED


def test_calls_from_long_ago_tell_nothing(alice: User, upstream: Simulator) -> None:
    collected(alice)
    Record.objects.update(ts="2026-07-01 10:00:00")
    credential.store(alice.pk, upstream.cookie(1))
    assert "another account" not in collected(alice).run.message


def test_the_cookie_of_the_archives_account_works_again(alice: User, upstream: Simulator) -> None:
    collected(alice)
    credential.store(alice.pk, upstream.cookie(1))
    collected(alice)
    credential.store(alice.pk, upstream.cookie(0))
    assert collected(alice).run.status == Run.Status.OK


def test_a_cookie_that_was_seen_to_be_of_another_account_is_stored_with_a_warning(
    alice: User, upstream: Simulator
) -> None:
    collected(alice)
    api = ApiClient.signed_in(alice)
    assert api.post("/api/settings", {"cookie": upstream.cookie(1)}).json().get("warnings", []) == []
    collected(alice)
    answer = api.post("/api/settings", {"cookie": upstream.cookie(1)}).json()
    assert answer["ok"] is True
    assert any("another account" in warning for warning in answer["warnings"])
    assert api.post("/api/settings", {"cookie": upstream.cookie(0)}).json().get("warnings", []) == []


def test_cookies_that_name_their_account_are_told_apart_at_once(alice: User, upstream: Simulator) -> None:
    credential.store(alice.pk, named(upstream.cookie(0), MINE))
    collected(alice)
    api = ApiClient.signed_in(alice)
    answer = api.post("/api/settings", {"cookie": named(upstream.cookie(1), THEIRS)}).json()
    assert any("another account" in warning for warning in answer["warnings"])
    before = fetched_in_all(upstream)
    result = collected(alice)
    assert (result.run.exit_code, fetched_in_all(upstream)) == (5, before)
    assert "a95f…66" in result.run.message
    assert "0c3d…33" in result.run.message
    assert MINE not in result.run.message


def test_a_new_cookie_that_names_the_same_account_needs_no_look(alice: User, upstream: Simulator) -> None:
    credential.store(alice.pk, named(upstream.cookie(0), MINE))
    collected(alice)
    before = fetched_in_all(upstream)
    collected(alice)
    usual = fetched_in_all(upstream) - before
    credential.store(alice.pk, named(f"x=1; {upstream.cookie(0)}", MINE))
    collected(alice)
    assert fetched_in_all(upstream) == before + 2 * usual


def test_where_a_day_is_not_answered_others_tell(alice: User, upstream: Simulator) -> None:
    collected(alice)
    credential.store(alice.pk, f"x=1; {upstream.cookie(0)}")
    upstream.faults.fail("broken_json", times=1)
    assert collected(alice).run.status == Run.Status.OK
    assert AccountOfArchive.objects.get().confirmed == account_of_archive.fingerprint(f"x=1; {upstream.cookie(0)}")


def test_an_archive_of_its_own_takes_the_other_account(alice: User, bob: User, upstream: Simulator) -> None:
    collected(alice)
    credential.store(bob.pk, upstream.cookie(1))
    assert collected(bob).run.status == Run.Status.OK
    assert contents(bob) == truth(upstream, 1)


@pytest.mark.parametrize(
    ("cookie", "account"),
    [
        (named("session=x", MINE), MINE),
        ("session=x|1|y", ""),
        ("KEYCLOAK_IDENTITY=a.b.c", ""),
        ("KEYCLOAK_IDENTITY=onlyone", ""),
        ("KEYCLOAK_IDENTITY=a." + urlsafe_b64encode(b"[1]").decode() + ".c", ""),
        ("KEYCLOAK_IDENTITY=a." + urlsafe_b64encode(b'{"sub": 7}').decode() + ".c", ""),
        ("KEYCLOAK_IDENTITY=a." + urlsafe_b64encode(b'{"sub": "' + b"x" * 65 + b'"}').decode() + ".c", ""),
        ("KEYCLOAK_IDENTITY=a." + urlsafe_b64encode(b"[" * 100_000).decode() + ".c", ""),
    ],
)
def test_the_account_of_a_cookie_is_read_from_its_identity_token(cookie: str, account: str) -> None:
    assert account_of(cookie) == account


def test_a_verification_of_another_account_stores_nothing(alice: User, upstream: Simulator) -> None:
    collected(alice)
    before = contents(alice)
    credential.store(alice.pk, upstream.cookie(1))
    span = run_start.span_of(alice.pk, config.instance_settings(), date(2026, 9, 5), date(2026, 9, 6))
    run, token = run_start.take_run(alice.pk, Run.Trigger.MANUAL, span)
    result = verification.verify(run, token, actor="alice")
    assert (result.run.exit_code, result.outcome.error) == (5, "api")
    assert "another account" in result.run.message
    assert contents(alice) == before


def test_a_cookie_that_was_refused_is_refused_ever_after(alice: User, upstream: Simulator, time: SetClock) -> None:
    collected(alice)
    credential.store(alice.pk, upstream.cookie(1))
    assert collected(alice).run.exit_code == 5
    before = contents(alice)
    Record.objects.update(ts="2026-06-01 10:00:00")
    assert collected(alice).run.exit_code == 5
    assert len(contents_of_all(alice)) == len(before)


def contents_of_all(alice: User) -> list[str]:
    return list(Record.objects.filter(archive_id=alice.pk).values_list("request_id", flat=True))


@pytest.mark.engine
def test_an_account_that_is_new_has_no_calls_where_the_archive_has_some(
    alice: User, upstream: Simulator, time: SetClock
) -> None:
    collected(alice)
    time.pass_by(days=1)
    for call in upstream.rows(1):
        upstream.remove(1, call.request_id)
    upstream.add(1, *[call_at(time.now - timedelta(minutes=n), f"theirs-{n}") for n in range(1, 20)])
    credential.store(alice.pk, upstream.cookie(1))
    before = contents(alice)
    assert collected(alice).run.exit_code == 5
    assert contents(alice) == before


def test_calls_with_times_to_come_do_not_switch_the_guard_off(alice: User, upstream: Simulator) -> None:
    collected(alice)
    for number, pk in enumerate(Record.objects.order_by("-ts").values_list("pk", flat=True)[:5]):
        Record.objects.filter(pk=pk).update(ts=f"2027-01-0{number + 1} 10:00:00")
    credential.store(alice.pk, upstream.cookie(1))
    assert collected(alice).run.exit_code == 5


def test_a_cookie_that_gave_nothing_binds_an_archive_to_no_account(alice: User, upstream: Simulator) -> None:
    credential.store(alice.pk, named("session=ended", THEIRS))
    assert collected(alice).run.exit_code == 4
    credential.store(alice.pk, named(upstream.cookie(0), MINE))
    assert collected(alice).run.status == Run.Status.OK
    assert AccountOfArchive.objects.get().account == MINE


def test_a_day_with_too_many_calls_tells_nothing(
    alice: User, upstream: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    collected(alice)
    monkeypatch.setattr(account_guard, "MOST_PAGES", 2)
    upstream.add(0, *[call_at(NOW - timedelta(seconds=n), f"newer-{n}") for n in range(50)])
    credential.store(alice.pk, f"x=1; {upstream.cookie()}")
    assert collected(alice).run.status == Run.Status.OK
    assert contents(alice) == truth(upstream)


def test_filling_prompts_of_another_account_is_refused(alice: User, upstream: Simulator) -> None:
    collected(alice)
    Record.objects.update(without_prompt=True, prompt_truncated=True)
    credential.store(alice.pk, upstream.cookie(1))
    with pytest.raises(CollectionEnded) as ended:
        prompt_backfill.fill(alice.pk)
    assert "another account" in str(ended.value.message)


def leave_only(upstream: Simulator, account: int, *moments: timedelta) -> None:
    """Let an account have these calls alone, so long ago."""
    for call in upstream.rows(account):
        upstream.remove(account, call.request_id)
    upstream.add(account, *[call_at(NOW - ago, f"of-{account}-{n}") for n, ago in enumerate(moments)])


@pytest.mark.engine
@pytest.mark.parametrize(
    ("days_ago", "first", "last"), [(4, date(2026, 9, 2), date(2026, 9, 4)), (1, None, None)], ids=["ranged", "plain"]
)
def test_the_days_that_are_read_first_tell_where_the_newest_do_not(
    alice: User, upstream: Simulator, days_ago: int, first: date | None, last: date | None
) -> None:
    collected(alice)
    before = contents(alice)
    leave_only(upstream, 1, *(timedelta(days=days_ago, minutes=n) for n in range(9)))
    credential.store(alice.pk, upstream.cookie(1))
    assert collected(alice, first, last).run.exit_code == 5
    assert contents(alice) == before


@pytest.mark.parametrize("is_counted", [True, False])
def test_an_answer_without_calls_locks_nobody_out(
    alice: User, upstream: Simulator, time: SetClock, monkeypatch: pytest.MonkeyPatch, is_counted: bool
) -> None:
    collected(alice)
    time.pass_by(days=1)
    upstream.add(0, call_at(time.now - timedelta(hours=1), "new"))
    credential.store(alice.pk, f"x=1; {upstream.cookie()}")
    if is_counted:
        answered, before = upstream.respond, fetched_in_all(upstream)

        def respond(*asked: Any) -> Any:
            upstream.faults.hide_minutes = 0 if fetched_in_all(upstream) > before else 10**6
            return answered(*asked)

        monkeypatch.setattr(upstream, "respond", respond)
    else:
        upstream.faults.fail("null_data", times=1)
    assert collected(alice).run.status == Run.Status.OK
    assert collected(alice).run.status == Run.Status.OK
    assert contents(alice) == truth(upstream)


@pytest.mark.parametrize("fault", ["null_data", "broken_json", "api_code"])
def test_one_answer_that_says_nothing_does_not_switch_the_guard_off(
    alice: User, upstream: Simulator, fault: str
) -> None:
    collected(alice)
    before = contents(alice)
    credential.store(alice.pk, upstream.cookie(1))
    upstream.faults.fail(fault, times=1)
    assert collected(alice).run.exit_code == 5
    assert contents(alice) == before


@pytest.mark.parametrize("ago", [timedelta(days=4), timedelta(hours=-23)], ids=["among the first", "later alone"])
def test_days_that_are_answered_with_nothing_at_all_tell_as_those_without_calls(
    alice: User, upstream: Simulator, time: SetClock, ago: timedelta
) -> None:
    collected(alice)
    before = contents(alice)
    time.pass_by(days=1)
    leave_only(upstream, 1, *(ago + timedelta(minutes=n) for n in range(9)))
    upstream.faults.null_when_empty = "data"
    credential.store(alice.pk, upstream.cookie(1))
    assert collected(alice, NOW.date() - timedelta(days=5), NOW.date() + timedelta(days=1)).run.exit_code == 5
    assert contents(alice) == before


@pytest.mark.engine
def test_where_nothing_tells_whose_calls_they_are_packages_stay_as_they_are(
    alice: User, upstream: Simulator, time: SetClock
) -> None:
    collected(alice)
    before = list(Package.objects.order_by("resource_id").values_list("resource_id", "state", "left"))
    leave_only(upstream, 1)
    credential.store(alice.pk, upstream.cookie(1))
    time.pass_by(hours=1)
    result = collected(alice)
    assert result.run.status == Run.Status.OK
    assert "It is not known whether the credential" in result.run.detail
    assert list(Package.objects.order_by("resource_id").values_list("resource_id", "state", "left")) == before
    # Its own packages tell.
    leave_only(upstream, 0)
    credential.store(alice.pk, f"x=1; {upstream.cookie(0)}")
    collected(alice)
    assert Package.objects.filter(read_at=time.now).count() == len(before)


@pytest.mark.engine
def test_days_on_which_none_of_the_calls_come_are_not_noted(alice: User, upstream: Simulator, time: SetClock) -> None:
    set_up(alice, upstream, page_size=200, verify_days=3)
    collected(alice)
    leave_only(upstream, 1)
    credential.store(alice.pk, upstream.cookie(1))
    ledger = list(CoverageDay.objects.order_by("day").values())
    mark = watermark.mark(alice.pk)
    for day in range(6):
        time.pass_by(days=1)
        new = [call_at(time.now - timedelta(hours=3, minutes=n), f"mine-{day}-{n}") for n in range(5)]
        upstream.add(0, *new)
        message = collected(alice).run.message
        assert "no day was noted" in message
        collected(alice, NOW.date() - timedelta(days=2), NOW.date())
    assert list(CoverageDay.objects.order_by("day").values()) == ledger
    assert watermark.mark(alice.pk) == mark
    credential.store(alice.pk, f"x=1; {upstream.cookie(0)}")
    for _ in range(4):
        assert "no day was noted" not in collected(alice).run.message
        time.pass_by(hours=49)
    assert contents(alice) == truth(upstream)
    assert not CoverageDay.objects.filter(upstream=0, day__gte=str(NOW.date())).exclude(day__gt="2026-09-22").exists()


def test_names_of_accounts_are_told_apart_also_where_they_are_short() -> None:
    assert account_of_archive.masked("100023") != account_of_archive.masked("100032")


def test_days_with_too_many_calls_send_nobody_to_later_ones(
    alice: User, upstream: Simulator, time: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_up(alice, upstream, page_size=20)
    collected(alice)
    monkeypatch.setattr(account_guard, "MOST_PAGES", 1)
    upstream.add(0, *[call_at(NOW - timedelta(seconds=n), f"newer-{n}") for n in range(50)])
    time.pass_by(days=1)
    upstream.add(0, call_at(time.now - timedelta(hours=1), "new"))
    credential.store(alice.pk, f"x=1; {upstream.cookie()}")
    assert collected(alice).run.status == Run.Status.OK


def test_a_credential_that_was_refused_by_mistake_is_looked_at_again(alice: User, upstream: Simulator) -> None:
    collected(alice)
    cookie = f"x=1; {upstream.cookie()}"
    credential.store(alice.pk, cookie)
    AccountOfArchive.objects.update(refused=account_of_archive.fingerprint(cookie))
    assert collected(alice).run.status == Run.Status.OK
    assert AccountOfArchive.objects.get().refused == ""


@pytest.mark.engine
def test_a_run_that_fails_halfway_has_noted_whose_calls_it_stored(alice: User, upstream: Simulator) -> None:
    leave_only(upstream, 0, timedelta(days=19), *(timedelta(days=1, minutes=n) for n in range(30)))
    set_up(alice, upstream, page_size=20, verify_days=0, collect_max_range_days=31)
    credential.store(alice.pk, named(upstream.cookie(0), MINE))
    upstream.faults.fail("expired_401_html", after_pages=5)
    assert collected(alice).run.status == Run.Status.FAILED
    assert Record.objects.exists()
    assert AccountOfArchive.objects.get().account == MINE


def test_a_name_is_remembered_also_beside_few_calls(alice: User, upstream: Simulator) -> None:
    leave_only(upstream, 0, timedelta(hours=5))
    collected(alice)
    credential.store(alice.pk, named(upstream.cookie(0), MINE))
    collected(alice)
    credential.store(alice.pk, named(upstream.cookie(1), THEIRS))
    assert collected(alice).run.exit_code == 5


def test_packages_of_two_accounts_do_not_meet(alice: User, upstream: Simulator) -> None:
    leave_only(upstream, 0)
    credential.store(alice.pk, named(upstream.cookie(0), MINE))
    collected(alice)
    before = set(Package.objects.values_list("resource_id", flat=True))
    assert before
    credential.store(alice.pk, named(upstream.cookie(1), THEIRS))
    assert collected(alice).run.exit_code == 5
    assert set(Package.objects.values_list("resource_id", flat=True)) == before


@pytest.mark.parametrize("is_read", [True, False])
def test_packages_of_an_account_without_calls_and_without_a_name_do_not_meet_those_of_the_calls(
    alice: User, upstream: Simulator, time: SetClock, is_read: bool
) -> None:
    leave_only(upstream, 0)
    collected(alice)
    mine = set(Package.objects.values_list("resource_id", flat=True))
    assert mine
    before = [one.order_id for one in Order.objects.all()]
    time.pass_by(minutes=10)
    credential.store(alice.pk, upstream.cookie(1))
    # What is not read at first comes once the calls tell whose the credential is.
    upstream.shelves[1].data_null = not is_read
    for _ in range(3):
        time.pass_by(minutes=10)
        result = collected(alice)
        assert result.run.status == Run.Status.OK
        upstream.shelves[1].data_null = False
    theirs = {one.resource_id for one in upstream.shelves[1].packages}
    found = set(Package.objects.values_list("resource_id", flat=True))
    assert found
    assert found <= theirs
    assert not found & mine
    assert not {one.order_id for one in Order.objects.all()} & {*before}


def test_as_long_as_nobody_knows_whose_packages_are_none_are_stored(
    alice: User, upstream: Simulator, time: SetClock
) -> None:
    leave_only(upstream, 0)
    collected(alice)
    mine = set(Package.objects.values_list("resource_id", flat=True))
    time.pass_by(minutes=10)
    credential.store(alice.pk, upstream.cookie(1))
    # This form has no ids.
    upstream.shelves[1].form = "resources"
    for _ in range(2):
        time.pass_by(minutes=10)
        assert "It is not known whether the credential" in collected(alice).run.detail
        assert set(Package.objects.values_list("resource_id", flat=True)) == mine
    upstream.shelves[1].form = "response"
    time.pass_by(minutes=10)
    collected(alice)
    assert not set(Package.objects.values_list("resource_id", flat=True)) & mine


@pytest.mark.parametrize("is_new", [True, False], ids=["with another credential", "with the same one"])
def test_packages_that_were_read_beside_calls_stay_though_all_are_others(
    alice: User, upstream: Simulator, time: SetClock, is_new: bool
) -> None:
    collected(alice)
    mine = set(Package.objects.values_list("resource_id", flat=True))
    upstream.shelves[0].packages = [
        replace(one, resource_id=f"new-{one.resource_id}") for one in upstream.shelves[0].packages
    ]
    time.pass_by(minutes=10)
    if is_new:
        credential.store(alice.pk, f"x=1; {upstream.cookie(0)}")
    collected(alice)
    assert set(Package.objects.values_list("resource_id", flat=True)) > mine


def every_hour(first: timedelta, number: int) -> list[timedelta]:
    return [first + timedelta(hours=n) for n in range(number)]


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        (every_hour(timedelta(days=43), 30), every_hour(timedelta(days=10), 30)),
        ([*every_hour(timedelta(days=20), 24), *every_hour(timedelta(hours=1), 12)],
         [timedelta(days=1, minutes=n) for n in range(40)]),
        ([timedelta(minutes=n) for n in range(1, 7)], every_hour(timedelta(hours=30), 48)),
    ],
    ids=["after a long pause", "after a quiet week", "of a new archive"],
)  # fmt: skip
def test_other_calls_are_refused_where_those_of_the_archive_are_missing(
    alice: User, upstream: Simulator, time: SetClock, mine: list[timedelta], theirs: list[timedelta]
) -> None:
    leave_only(upstream, 0, *mine)
    first = NOW.date() - timedelta(days=1) - max(mine)
    collected(alice, first, min(first + timedelta(days=30), NOW.date()))
    before = contents(alice)
    assert len(before) == len(mine)
    leave_only(upstream, 1, *theirs)
    credential.store(alice.pk, upstream.cookie(1))
    time.pass_by(minutes=30)
    for _ in range(2):
        result = collected(alice)
        assert (result.run.exit_code, contents(alice)) == (5, before)
    assert "another account" in result.run.message
    credential.store(alice.pk, upstream.cookie(0))
    assert collected(alice).run.status == Run.Status.OK


@pytest.mark.parametrize("days", [12, 20, 40])
def test_calls_of_another_account_are_refused_in_a_ranged_run(alice: User, upstream: Simulator, days: int) -> None:
    collected(alice)
    before = contents(alice)
    leave_only(upstream, 1, *every_hour(timedelta(days=days), 30))
    credential.store(alice.pk, upstream.cookie(1))
    first = NOW.date() - timedelta(days=days + 3)
    assert collected(alice, first, first + timedelta(days=10)).run.exit_code == 5
    assert contents(alice) == before


def test_older_calls_of_another_account_are_refused(alice: User, upstream: Simulator) -> None:
    collected(alice)
    before = contents(alice)
    leave_only(upstream, 1, *every_hour(timedelta(days=40), 30))
    credential.store(alice.pk, upstream.cookie(1))
    assert "another account" in manage_here("collect", "alice", "--older").stderr
    assert contents(alice) == before


def test_new_calls_beside_known_ones_lift_the_doubt(alice: User, upstream: Simulator, time: SetClock) -> None:
    collected(alice)
    # The source lists the newest ones no more.
    for request_id, _ in sorted(contents(alice).items(), key=lambda one: one[1][1])[-9:]:
        upstream.remove(0, request_id)
    upstream.add(0, call_at(NOW + timedelta(hours=3), "new"))
    time.pass_by(hours=5)
    credential.store(alice.pk, f"x=1; {upstream.cookie()}")
    assert collected(alice).run.status == Run.Status.OK
    assert "new" in contents(alice)
    assert AccountOfArchive.objects.get().confirmed


@pytest.mark.parametrize("forms", [("resources", "resources"), ("response", "resources"), ("response", "response")])
def test_packages_without_ids_are_no_proof(
    alice: User, upstream: Simulator, time: SetClock, forms: tuple[FormOfPackages, FormOfPackages]
) -> None:
    mine, theirs = upstream.shelves[:2]
    mine.form, theirs.form = forms
    collected(alice)
    before = list(Package.objects.order_by("resource_id").values_list("resource_id", "left"))
    orders = set(Order.objects.values_list("order_id", flat=True))
    leave_only(upstream, 1)
    # Of the same names and ends, and with other orders.
    theirs.packages = [replace(one, resource_id=f"b-{one.resource_id}") for one in mine.packages]
    theirs.orders = [replace(one, order_id=f"b-{one.order_id}") for one in mine.orders]
    credential.store(alice.pk, upstream.cookie(1))
    time.pass_by(hours=25)
    result = collected(alice)
    assert result.run.status == Run.Status.OK
    assert list(Package.objects.order_by("resource_id").values_list("resource_id", "left")) == before
    assert set(Order.objects.values_list("order_id", flat=True)) == orders


def theirs_in(alice: User, upstream: Simulator) -> set[str]:
    ids = [call.request_id for call in upstream.rows(1)]
    return set(Record.objects.filter(archive_id=alice.pk, request_id__in=ids).values_list("request_id", flat=True))


@pytest.mark.thorough_after(4)
@pytest.mark.parametrize("times", [3, 4, 2, 5])
@pytest.mark.parametrize("fault", ["broken_json", "api_code", "empty_data", "bad_params"])
def test_answers_of_no_use_let_nothing_of_another_account_in(
    alice: User, upstream: Simulator, time: SetClock, fault: str, times: int
) -> None:
    collected(alice)
    time.pass_by(hours=5)
    credential.store(alice.pk, upstream.cookie(1))
    upstream.faults.fail(fault, times=times)
    for _ in range(3):
        assert collected(alice).run.exit_code == 5
        assert theirs_in(alice, upstream) == set()


def test_after_answers_of_no_use_the_own_account_goes_on(alice: User, upstream: Simulator, time: SetClock) -> None:
    collected(alice)
    time.pass_by(hours=5)
    credential.store(alice.pk, f"x=1; {upstream.cookie()}")
    upstream.add(0, call_at(time.now - timedelta(minutes=5), "new"))
    upstream.faults.fail("api_code", times=4)
    collected(alice)
    assert collected(alice).run.status == Run.Status.OK
    assert "new" in contents(alice)


def test_more_calls_of_another_account_than_are_looked_through_are_told_by_their_minutes(
    alice: User, upstream: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(account_guard, "MOST_PAGES", 3)
    set_up(alice, upstream, page_size=20, verify_days=0)
    leave_only(upstream, 0, *(timedelta(days=number, hours=2) for number in range(5)))
    collected(alice, NOW.date() - timedelta(days=6), NOW.date())
    before = contents(alice)
    leave_only(upstream, 1, *(timedelta(minutes=30 * number) for number in range(200)))
    credential.store(alice.pk, upstream.cookie(1))
    assert collected(alice).run.exit_code == 5
    assert contents(alice) == before
    # Of the own account one call is enough, however many there are beside it.
    upstream.add(0, *[call_at(NOW - timedelta(minutes=30 * number), f"own-{number}") for number in range(200)])
    credential.store(alice.pk, f"x=1; {upstream.cookie()}")
    assert collected(alice).run.status == Run.Status.OK


@pytest.mark.parametrize("way", ["collection", "verification"])
def test_a_name_is_not_remembered_where_nothing_was_stored(alice: User, upstream: Simulator, way: str) -> None:
    leave_only(upstream, 0, *(timedelta(hours=5, minutes=number) for number in range(3)))
    collected(alice)
    leave_only(upstream, 1)
    Package.objects.all().delete()
    upstream.shelves[1].packages = []
    credential.store(alice.pk, named(upstream.cookie(1), THEIRS))
    if way == "collection":
        collected(alice)
    else:
        span = run_start.span_of(alice.pk, config.instance_settings(), date(2026, 9, 5), date(2026, 9, 6))
        verification.verify(*run_start.take_run(alice.pk, Run.Trigger.MANUAL, span), actor="alice")
    assert not AccountOfArchive.objects.exclude(account="").exists()
    credential.store(alice.pk, named(upstream.cookie(0), MINE))
    assert collected(alice).run.exit_code == 0


def test_a_credential_of_another_account_is_one_however_few_calls_are_left(alice: User, upstream: Simulator) -> None:
    collected(alice)
    credential.store(alice.pk, upstream.cookie(1))
    assert collected(alice).run.exit_code == 5
    keep = Record.objects.order_by("-ts").values_list("pk", flat=True)[:4]
    Record.objects.exclude(pk__in=list(keep)).delete()
    assert collected(alice).run.exit_code == 5
    assert theirs_in(alice, upstream) == set()


def test_no_question_about_the_account_is_longer_than_a_month(alice: User, upstream: Simulator) -> None:
    leave_only(upstream, 0, *(timedelta(days=80 - 14 * number) for number in range(6)))
    for back in (81, 51, 21):
        first = NOW.date() - timedelta(days=back)
        collected(alice, first, min(first + timedelta(days=29), NOW.date()))
    before = len(upstream.requests_seen)
    credential.store(alice.pk, f"x=1; {upstream.cookie()}")
    assert collected(alice).run.status == Run.Status.OK
    for seen in upstream.requests_seen[before:]:
        assert seen.body
        start, end = (datetime.fromisoformat(seen.body[name]) for name in ("startTime", "endTime"))
        assert end - start < timedelta(days=31)


def test_the_first_days_with_calls_of_what_is_read_tell_too(alice: User, upstream: Simulator) -> None:
    leave_only(
        upstream, 0,
        *(timedelta(days=70, minutes=number) for number in range(6)),
        *(timedelta(days=82, minutes=number) for number in range(8)),
    )  # fmt: skip
    first = NOW.date() - timedelta(days=92)
    collected(alice, first, first + timedelta(days=29))
    before = contents(alice)
    leave_only(upstream, 1, *(timedelta(days=82, hours=1, minutes=number) for number in range(8)))
    credential.store(alice.pk, upstream.cookie(1))
    assert collected(alice, first, first + timedelta(days=29)).run.exit_code == 5
    assert contents(alice) == before


@pytest.mark.engine
@pytest.mark.parametrize("has_packages", [True, False])
def test_days_on_which_another_account_had_no_calls_are_read_again(
    alice: User, upstream: Simulator, time: SetClock, has_packages: bool
) -> None:
    AccountOfArchive.objects.all().delete()
    config.write({"packages": "1" if has_packages else "0"}, archive_id=INSTANCE, may_edit_instance=True)
    leave_only(upstream, 1)
    credential.store(alice.pk, upstream.cookie(1))
    for _ in range(3):
        assert collected(alice).run.status == Run.Status.OK
        time.pass_by(hours=30)
    assert Package.objects.exists() is has_packages
    assert CoverageDay.objects.filter(settled_at__isnull=False, upstream=0).exists()
    credential.store(alice.pk, upstream.cookie(0))
    run = collected(alice).run
    run.refresh_from_db()
    first = clock.today() - timedelta(days=10)
    assert (run.status, run.win_from) == (Run.Status.OK, clock.day_start(first))
    assert contents(alice) == {key: call for key, call in truth(upstream).items() if call[1] >= str(first)}
    assert collected(alice).run.status == Run.Status.OK
    assert CoverageDay.objects.filter(upstream__gt=0).exists()
    assert not CoverageDay.objects.filter(settled_at__isnull=False, upstream=0).exists()
    assert AccountOfArchive.objects.get().confirmed
    assert not repair(alice.pk)


def test_what_was_forgotten_halfway_is_forgotten_by_the_next_run(
    alice: User, upstream: Simulator, time: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    AccountOfArchive.objects.all().delete()
    leave_only(upstream, 1)
    credential.store(alice.pk, upstream.cookie(1))
    config.write({"packages": "0"}, archive_id=INSTANCE, may_edit_instance=True)
    collected(alice)
    time.pass_by(hours=30)
    collected(alice)
    credential.store(alice.pk, upstream.cookie(0))

    def dies(archive_id: int, **given: Any) -> Any:
        for number, part in enumerate(erase_readings(archive_id, **given)):
            if number == 1:
                raise RuntimeError
            yield part

    monkeypatch.setattr("collection.account_guard.erase_readings", dies)
    assert collected(alice).run.status == Run.Status.FAILED
    monkeypatch.undo()
    run = collected(alice).run
    run.refresh_from_db()
    assert run.win_from == clock.day_start(clock.today() - timedelta(days=10))


def test_a_new_credential_of_the_same_name_forgets_nothing(alice: User, upstream: Simulator, time: SetClock) -> None:
    AccountOfArchive.objects.all().delete()
    leave_only(upstream, 0)
    config.write({"packages": "0"}, archive_id=INSTANCE, may_edit_instance=True)
    credential.store(alice.pk, named(upstream.cookie(0), MINE))
    collected(alice)
    days = CoverageDay.objects.count()
    credential.store(alice.pk, named(f"x=1; {upstream.cookie(0)}", MINE))
    time.pass_by(hours=1)
    run = collected(alice).run
    assert (run.win_from, CoverageDay.objects.count()) != (clock.day_start(clock.today() - timedelta(days=10)), 0)
    assert CoverageDay.objects.count() == days


def test_its_own_days_without_calls_stay_read(alice: User, upstream: Simulator, time: SetClock) -> None:
    AccountOfArchive.objects.all().delete()
    leave_only(upstream, 0)
    collected(alice)
    time.pass_by(hours=5)
    before = fetched_in_all(upstream)
    collected(alice)
    days = CoverageDay.objects.count()
    assert days
    collected(alice)
    assert CoverageDay.objects.count() == days
    assert fetched_in_all(upstream) - before < 12


@pytest.mark.engine
def test_empty_days_settle_none_of_an_archive_with_few_calls(alice: User, upstream: Simulator, time: SetClock) -> None:
    collected(alice)
    kept = Record.objects.order_by("-ts").values_list("pk", flat=True)[:4]
    Record.objects.exclude(pk__in=list(kept)).delete()
    before, mark = list(CoverageDay.objects.order_by("day").values()), watermark.mark(alice.pk)
    leave_only(upstream, 1)
    credential.store(alice.pk, upstream.cookie(1))
    time.pass_by(hours=80)
    assert collected(alice).run.status == Run.Status.OK
    assert list(CoverageDay.objects.order_by("day").values()) == before
    assert watermark.mark(alice.pk) == mark


def test_a_credential_that_names_another_account_later_is_looked_at_again(alice: User, upstream: Simulator) -> None:
    collected(alice)
    mark = account_of_archive.fingerprint(named(upstream.cookie(0), MINE))
    AccountOfArchive.objects.update(account=THEIRS, confirmed=mark)
    credential.store(alice.pk, named(upstream.cookie(0), MINE))
    assert collected(alice).run.status == Run.Status.FAILED
