"""The lease of a queued run, which a worker adopts (docs/decisions/collection.md#the-lease)."""

from datetime import timedelta

import pytest

from accounts.models import User
from collection.models import Lease, Run
from collection.runs import lease, run_start
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests.collection.collector_run import set_up
from tests.standing_clock import SetClock


def queued(user: User, upstream: Simulator) -> tuple[Run, str]:
    set_up(user, upstream)
    return run_start.on_demand(user.pk, {}, queued=True)


def test_a_queued_run_keeps_the_lease_for_two_minutes(alice: User, upstream: Simulator, time: SetClock) -> None:
    queued(alice, upstream)
    time.pass_by(seconds=119)
    assert lease.take() is None
    time.pass_by(seconds=1)
    assert lease.take()


def test_a_worker_adopts_it_under_a_token_of_its_own(alice: User, upstream: Simulator, time: SetClock) -> None:
    run, token = queued(alice, upstream)
    adopted = lease.adopt(run.pk)
    assert adopted not in (None, token)
    with pytest.raises(lease.LeaseLost):
        lease.require(token)
    assert Lease.objects.get().expires_at == time.now + timedelta(seconds=60)


def test_it_is_adopted_once(alice: User, upstream: Simulator) -> None:
    run, _ = queued(alice, upstream)
    token = lease.adopt(run.pk)
    assert token
    assert lease.adopt(run.pk) is None
    lease.require(token)


def test_no_worker_adopts_it_for_another_run(alice: User, upstream: Simulator) -> None:
    run, _ = queued(alice, upstream)
    assert lease.adopt(run.pk + 1) is None


def test_no_worker_adopts_it_too_late(alice: User, upstream: Simulator, time: SetClock) -> None:
    run, _ = queued(alice, upstream)
    time.pass_by(minutes=2)
    assert lease.adopt(run.pk) is None
