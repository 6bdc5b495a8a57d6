"""Deleting many rows in parts: docs/decisions/store.md#long-writes-in-parts."""

from datetime import timedelta

import pytest

from accounts.models import Delivery, Notice, Session, User
from accounts.notices import sent
from accounts.session_stores.session_store import SessionStore
from archive_site.lib import clock
from archive_site.lib.storage import deletion
from archive_site.lib.storage.deletion import delete_in_parts, first_rows
from collection.models import Run

pytestmark = pytest.mark.django_db


@pytest.fixture
def two_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """A part has at most two rows."""
    monkeypatch.setattr(deletion, "ROWS", 2)


def run_with(user: User, detail: str) -> Run:
    return Run.objects.create(
        archive_id=user.pk, trigger="manual", status="ok", created_at=clock.now(), stored_detail=detail
    )


@pytest.mark.engine
@pytest.mark.usefixtures("two_rows")
def test_rows_go_in_parts_and_no_others(alice: User, bob: User) -> None:
    for user in (alice, bob, alice, bob, alice):
        run_with(user, "")
    assert list(delete_in_parts(Run.objects.filter(archive_id=alice.pk))) == [2, 1]
    assert set(Run.objects.values_list("archive_id", flat=True)) == {bob.pk}


def test_long_texts_make_parts_of_few_rows(alice: User) -> None:
    for length in (150_000, 150_000, 10, 10):
        run_with(alice, "x" * length)
    assert list(delete_in_parts(Run.objects.filter(archive_id=alice.pk), text="stored_detail"))[0] == 1
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("lengths", "keys"), [([], []), ([10**9], [0]), ([10, 10**9], [0]), ([100, 100, 100, 100, 100], [0, 1, 2])]
)
def test_a_part_has_the_first_rows_that_fit_and_at_least_one(lengths: list[int], keys: list[int]) -> None:
    assert first_rows(enumerate(lengths), 1000)[0] == keys


@pytest.mark.engine
@pytest.mark.usefixtures("two_rows")
def test_old_notices_go_with_their_deliveries(alice: User) -> None:
    now = clock.now()
    for number, ended in enumerate((None, now, *[now - sent.KEPT - timedelta(days=1)] * 3)):
        notice = Notice.objects.create(
            user_id=alice.pk, event="cookie", cause=str(number), began_at=now, ended_at=ended, stored_begin=""
        )
        Delivery.objects.create(notice=notice, user_id=alice.pk, part="begin", address="a", shown="", next_at=now)
    assert sent.delete_old() == 3
    assert Notice.objects.count() == Delivery.objects.count() == 2


@pytest.mark.engine
@pytest.mark.usefixtures("two_rows")
def test_ended_sessions_go_and_others_stay() -> None:
    now = clock.now()
    for number, days in enumerate((-1, -1, -1, 1)):
        Session.objects.create(session_key=str(number), session_data="", expire_date=now + timedelta(days=days))
    SessionStore.clear_expired()
    assert [session.session_key for session in Session.objects.all()] == ["3"]
