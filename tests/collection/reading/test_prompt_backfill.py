"""Filling prompts: the days that the upstream is asked for, and the result (docs/api.md#maintenance)."""

from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest
from django.conf import settings

from accounts.credentials import credential
from accounts.models import Setting, User
from archive_site.lib import clock
from archive_site.lib.http.api_error import ApiError
from collection.models import Run
from collection.reading.prompt_backfill import Filled, fill, gaps_of
from collection.runs import lease
from collection.runs.run_outcomes import API, COOKIE_BROKEN, COOKIE_EXPIRED, INTERRUPTED, NO_COOKIE, RunOutcome
from collection.sources.codebuddy.reader import Upstream
from collection.sources.codebuddy.simulator.simulator import Simulator
from collection.sources.codebuddy.traits import TRAITS
from tests.collection.collector_run import call_at, collected, confirm, contents, set_up, truth
from tests.collection.prompt_gaps import MONTH, days_ago, ended, lacks_prompts
from tests.collection.refused_windows import refuse
from tests.collection.scheduling import configure
from tests.collection.simulator_client import SHANGHAI
from tests.usage.record_factories import archive, call, prompt_of
from usage import ingest
from usage.models import Prompt


@pytest.fixture
def alice(alice: User, upstream: Simulator) -> User:
    set_up(alice, upstream)
    confirm(alice)
    return alice


def asked(upstream: Simulator) -> list[tuple[int, int]]:
    """The windows of the first pages asked for: how many days ago their first and last day are, in the server's."""
    today = clock.today()
    found = []
    for request in upstream.requests_seen:
        assert request.body
        if request.body["pageNum"] == 1:
            walls = [datetime.fromisoformat(request.body[name]) for name in ("startTime", "endTime")]
            first, last = (wall.replace(tzinfo=SHANGHAI).astimezone(settings.SERVER_ZONE) for wall in walls)
            assert (f"{first:%H:%M:%S}", f"{last:%H:%M:%S}") == ("00:00:00", "23:59:59")
            found.append(((today - first.date()).days, (today - last.date()).days))
    return found


# Which days


def test_without_a_gap_nothing_is_asked(alice: User, upstream: Simulator) -> None:
    lacks_prompts(alice, 1, 2, prompt="here it is")
    assert (fill(alice.pk), upstream.request_count) == (Filled(0, 0), 0)


def test_only_days_with_gaps_are_asked_for_neighbours_in_one_window(alice: User, upstream: Simulator) -> None:
    lacks_prompts(alice, 9, 8, 5, 0)
    lacks_prompts(alice, 7, 4, 3, prompt="here it is")
    assert fill(alice.pk).missing == 4
    assert asked(upstream) == [(9, 8), (5, 5), (0, 0)]


def test_a_window_holds_seven_days_at_most(alice: User, upstream: Simulator) -> None:
    lacks_prompts(alice, *range(1, 10))
    fill(alice.pk)
    assert asked(upstream) == [(9, 3), (2, 1)]


def test_what_the_upstream_has_no_prompts_of_any_more_is_not_asked_for(alice: User, upstream: Simulator) -> None:
    lacks_prompts(alice, 31, 32, 60)
    assert fill(alice.pk).missing == 1
    assert asked(upstream) == [(31, 31)]


def test_a_prompt_that_came_in_part_is_a_gap(alice: User) -> None:
    lacks_prompts(alice, 1, prompt="first part …", prompt_truncated=True)
    assert list(gaps_of(alice.pk, 20000).values()) == [1]


def test_one_that_the_archive_itself_cut_is_none_until_more_is_kept(alice: User) -> None:
    archive(alice, call(ts=f"{days_ago(1):%Y-%m-%d} 12:00:00", prompt="0123456789abc"), max_prompt=10)
    assert gaps_of(alice.pk, 10) == {}
    assert list(gaps_of(alice.pk, 11).values()) == [1]


def test_where_no_prompts_are_kept_none_is_missing(alice: User, upstream: Simulator) -> None:
    configure(max_prompt=0)
    lacks_prompts(alice, 1)
    assert (fill(alice.pk), upstream.request_count) == (Filled(0, 0), 0)


def test_the_gaps_of_others_are_theirs(alice: User, bob: User, upstream: Simulator) -> None:
    lacks_prompts(bob, 1)
    assert (fill(alice.pk), upstream.request_count) == (Filled(0, 0), 0)


# Results


def test_prompts_that_came_late_are_filled(alice: User, upstream: Simulator) -> None:
    upstream.faults.late_prompt_minutes = MONTH
    collected(alice)
    assert not Prompt.objects.exists()
    upstream.faults.late_prompt_minutes = 0
    with_prompt = {call.request_id: call.prompt for call in upstream.rows() if call.prompt}
    assert fill(alice.pk) == Filled(len(truth(upstream)), len(with_prompt))
    assert dict(Prompt.objects.values_list("record__request_id", "text")) == with_prompt


def test_a_window_that_is_refused_keeps_no_later_one_from_being_filled(alice: User, upstream: Simulator) -> None:
    lacks_prompts(alice, 5, 2)
    moment = days_ago(2).replace(hour=12, minute=0, second=0)
    upstream.add(0, call_at(moment, "gap-2", prompt="late"))
    refuse(upstream, days_ago(5).replace(hour=12))
    assert ended(alice) == API
    assert prompt_of(alice, "gap-2") == "late"


def test_of_a_week_that_is_refused_all_days_but_the_one_at_fault_are_filled(alice: User, upstream: Simulator) -> None:
    lacks_prompts(alice, *range(1, 8))
    for age in range(1, 8):
        moment = days_ago(age).replace(hour=12, minute=0, second=0)
        upstream.add(0, call_at(moment, f"gap-{age}", prompt=f"late {age}"))
    refuse(upstream, days_ago(4).replace(hour=12))
    assert ended(alice) == API
    found = [prompt_of(alice, f"gap-{age}") for age in range(1, 8)]
    assert found == ["late 1", "late 2", "late 3", None, "late 5", "late 6", "late 7"]


def test_days_that_are_all_refused_end_it_after_the_fifth(alice: User, upstream: Simulator) -> None:
    lacks_prompts(alice, *range(1, 29))
    refuse(upstream, *(days_ago(age).replace(hour=12) for age in range(1, 29)))
    assert ended(alice) == API
    days = [window for window in asked(upstream) if window[0] == window[1]]
    assert (days, upstream.request_count) == ([(age, age) for age in (28, 27, 26, 25, 24)], 10)


@pytest.mark.parametrize("fault", ["expired_401_html", "agent_refused"])
def test_a_refused_credential_ends_it_at_once(alice: User, upstream: Simulator, fault: str) -> None:
    lacks_prompts(alice, 5, 2)
    upstream.faults.fail(fault)
    ended(alice)
    assert upstream.request_count == 1


def test_asked_again_it_fills_no_more(alice: User, upstream: Simulator) -> None:
    upstream.faults.late_prompt_minutes = MONTH
    collected(alice)
    upstream.faults.late_prompt_minutes = 0
    fill(alice.pk)
    without = sum(not call.prompt for call in upstream.rows())
    assert fill(alice.pk) == Filled(without, 0)


def test_prompts_that_were_cut_are_replaced_by_whole_ones(alice: User, upstream: Simulator) -> None:
    upstream.add(0, call_at(days_ago(1), "long", prompt="x" * 300))
    upstream.faults.truncated_only = True
    collected(alice)
    assert prompt_of(alice, "long") == "x" * 100
    upstream.faults.truncated_only = False
    filled = fill(alice.pk)
    assert 0 < filled.filled <= filled.missing
    assert prompt_of(alice, "long") == "x" * 300


def test_no_more_of_a_prompt_is_kept_than_the_setting_says(alice: User, upstream: Simulator) -> None:
    upstream.add(0, call_at(days_ago(1), "long", prompt="x" * 300))
    upstream.faults.late_prompt_minutes = MONTH
    collected(alice)
    upstream.faults.late_prompt_minutes = 0
    configure(max_prompt=50)
    fill(alice.pk)
    assert prompt_of(alice, "long") == "x" * 50


def test_records_and_sums_stay_right(alice: User, upstream: Simulator) -> None:
    upstream.faults.late_prompt_minutes = MONTH
    collected(alice)
    fill(alice.pk)
    assert contents(alice) == truth(upstream)


def test_a_window_that_the_upstream_caps_is_asked_for_in_halves(
    alice: User, upstream: Simulator, monkeypatch: pytest.MonkeyPatch
) -> None:
    upstream.faults.late_prompt_minutes = MONTH
    collected(alice)
    upstream.faults.late_prompt_minutes = 0
    upstream.faults.window_cap = 10
    monkeypatch.setattr(Upstream, "traits", replace(TRAITS, cap_step=10))
    assert fill(alice.pk).filled == sum(bool(call.prompt) for call in upstream.rows())


def test_it_is_no_run_and_moves_nothing(alice: User) -> None:
    lacks_prompts(alice, 1)
    fill(alice.pk)
    assert not Run.objects.exists()


# Obstacles


def test_without_a_cookie(alice: User) -> None:
    credential.clear(alice.pk)
    assert ended(alice) == NO_COOKIE


def test_with_a_broken_cookie(alice: User) -> None:
    Setting.objects.filter(key="cookie").update(value="nonsense")
    assert ended(alice) == COOKIE_BROKEN


@pytest.mark.parametrize(("fault", "outcome"), [("expired_401_html", COOKIE_EXPIRED), ("api_code", API)])
def test_an_upstream_that_refuses(alice: User, upstream: Simulator, fault: str, outcome: RunOutcome) -> None:
    lacks_prompts(alice, 1)
    upstream.faults.fail(fault)
    assert ended(alice) == outcome


def test_what_was_filled_before_a_failure_stays(alice: User, upstream: Simulator) -> None:
    upstream.faults.late_prompt_minutes = MONTH
    collected(alice)
    upstream.faults.late_prompt_minutes = 0
    upstream.faults.fail("api_code", after_pages=1)
    assert ended(alice) == API
    assert 0 < Prompt.objects.count() <= 20


def test_while_a_collection_runs_it_is_busy(alice: User, upstream: Simulator) -> None:
    lacks_prompts(alice, 1)
    lease.take()
    with pytest.raises(ApiError) as refusal:
        fill(alice.pk)
    assert (refusal.value.status, refusal.value.error, upstream.request_count) == (409, "busy", 0)


def test_while_it_fills_others_are_busy(alice: User, upstream: Simulator, monkeypatch: pytest.MonkeyPatch) -> None:
    held = []
    fill_prompts = ingest.fill_prompts

    def looking(*page: Any, **options: Any) -> Any:
        held.append(lease.is_held())
        return fill_prompts(*page, **options)

    monkeypatch.setattr(ingest, "fill_prompts", looking)
    lacks_prompts(alice, 1)
    fill(alice.pk)
    assert (held, lease.is_held()) == ([True], False)


def test_who_lost_the_lease_writes_nothing_more(alice: User, upstream: Simulator) -> None:
    upstream.faults.late_prompt_minutes = MONTH
    collected(alice)
    upstream.faults.late_prompt_minutes = 0

    def taken_over(*arguments: Any) -> None:
        raise lease.LeaseLost

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(lease, "require", taken_over)
        assert ended(alice) == INTERRUPTED
    assert not Prompt.objects.exists()
