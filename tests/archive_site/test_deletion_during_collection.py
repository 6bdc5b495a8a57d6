"""An account is deleted while a collection runs or waits: nothing more is stored (docs/api.md#delete-a-user)."""

from collections.abc import Iterator
from datetime import timedelta
from threading import Thread

import pytest
from django.db import connection

from accounts.models import User
from archive_site.account_deletion import delete_account
from archive_site.lib import clock
from collection.models import Lease, Run
from collection.tasks import collect_run
from tests.archive_site.account_data import COMMAND_LINE, OWNED, owned
from tests.collection.collector_run import collected, set_up
from tests.collection.gated_simulator import GatedSimulator
from usage.models import Record

pytestmark = pytest.mark.django_db


class Collecting:
    """A collection of an account in a thread, held at its second page."""

    def __init__(self, user: User, simulator: GatedSimulator):
        self.simulator = simulator
        self.failure: Exception | None = None
        simulator.hold_at(2)
        self.thread = Thread(target=self._collect, args=[user])
        self.thread.start()
        assert simulator.reached.wait(60)

    def _collect(self, user: User) -> None:
        try:
            collected(user, clock.today() - timedelta(days=2))
        except Exception as error:  # noqa: BLE001 - the test looks at it
            self.failure = error
        finally:
            connection.close()

    def go_on(self) -> None:
        self.simulator.release()
        self.thread.join(30)


@pytest.fixture
def gated() -> Iterator[GatedSimulator]:
    simulator = GatedSimulator(accounts=1, days=3, per_day=40)
    with simulator:
        yield simulator
        simulator.release()


@pytest.mark.django_db(transaction=True)
def test_a_running_collection_stores_nothing_more(alice: User, root: User, gated: GatedSimulator) -> None:
    set_up(alice, gated)
    running = Collecting(alice, gated)
    assert Record.objects.filter(archive_id=alice.pk).exists()
    delete_account(alice.pk, keep_data=False, actor=COMMAND_LINE)
    running.go_on()
    assert owned(alice.pk) == [0] * len(OWNED)
    assert not Lease.objects.exclude(token="").exists()


@pytest.mark.django_db(transaction=True)
def test_a_running_collection_of_a_deleted_account_ends_without_a_failure(
    alice: User, root: User, gated: GatedSimulator
) -> None:
    set_up(alice, gated)
    running = Collecting(alice, gated)
    delete_account(alice.pk, keep_data=False, actor=COMMAND_LINE)
    running.go_on()
    assert running.failure is None


@pytest.mark.django_db(transaction=True)
def test_a_running_collection_of_a_deleted_account_whose_data_is_kept_stores_nothing_more(
    alice: User, root: User, gated: GatedSimulator
) -> None:
    set_up(alice, gated)
    running = Collecting(alice, gated)
    before = Record.objects.count()
    delete_account(alice.pk, keep_data=True, actor=COMMAND_LINE)
    running.go_on()
    assert Record.objects.count() == before
    assert Run.objects.get().status == Run.Status.INTERRUPTED


@pytest.mark.parametrize("keep_data", [True, False])
def test_a_queued_run_is_not_worked_off(keep_data: bool, alice: User, root: User) -> None:
    run = Run.objects.create(archive_id=alice.pk, trigger="manual", status="queued", created_at=clock.now())
    Lease.objects.create(name="collection", token="x", run_id=run.pk, expires_at=clock.now())
    delete_account(alice.pk, keep_data=keep_data, actor=COMMAND_LINE)
    collect_run(run.pk)
    assert [left.status for left in Run.objects.all()] == (["interrupted"] if keep_data else [])
    assert Lease.objects.get().token == ""


def test_anothers_collection_goes_on(alice: User, bob: User, root: User) -> None:
    run = Run.objects.create(archive_id=bob.pk, trigger="manual", status="running", created_at=clock.now())
    Lease.objects.create(name="collection", token="x", run_id=run.pk, expires_at=clock.now())
    delete_account(alice.pk, keep_data=False, actor=COMMAND_LINE)
    assert Lease.objects.get().token == "x"
    assert not Run.objects.get().stop_requested
