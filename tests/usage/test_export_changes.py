"""Changes of the archive during an export: docs/api.md#export."""

from collections.abc import Iterator
from contextlib import closing
from uuid import uuid4

import pytest
from django.db import connection

from accounts.models import Store, User
from accounts.store_identity import open_store
from tests.usage.record_factories import archive, call, stored
from usage.amounts.units import CREDITS
from usage.erasure import erase_archive
from usage.export import csv_file as export
from usage.export import pieces as export_pieces
from usage.export.pieces import IncompleteExport
from usage.filters import NEWEST_FIRST, RecordFilters
from usage.reads import queries

pytestmark = pytest.mark.django_db
EVERYTHING = RecordFilters()


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every line is a separate chunk."""
    monkeypatch.setattr(export_pieces, "PIECE", 1)


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("small_pieces")
@pytest.mark.sqlite_only
def test_a_slow_reader_keeps_the_log_from_nothing(alice: User) -> None:
    archive(alice, *(call(f"r{n}") for n in range(5)))
    pieces = export.pieces(alice.pk, EVERYTHING, NEWEST_FIRST)
    assert len([next(pieces), next(pieces), next(pieces)]) == 3
    other = connection.copy()
    with closing(other), other.cursor() as cursor:
        cursor.execute("UPDATE usage_record SET model = 'changed' WHERE request_id = 'r4'")
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert cursor.fetchone() == (0, 0, 0)


def begun(owner: User) -> Iterator[bytes]:
    """An export that has yielded its header and one line."""
    pieces = export.pieces(owner.pk, EVERYTHING, NEWEST_FIRST)
    assert len([next(pieces), next(pieces)]) == 2
    return pieces


@pytest.mark.usefixtures("small_pieces")
def test_a_record_erased_meanwhile_breaks_it_off(alice: User) -> None:
    archive(alice, call("a"), call("b"), call("c"))
    pieces = begun(alice)
    stored(alice, "b").delete()
    with pytest.raises(IncompleteExport):
        list(pieces)


@pytest.mark.usefixtures("small_pieces")
def test_an_archive_erased_between_two_chunks_breaks_it_off(alice: User, monkeypatch: pytest.MonkeyPatch) -> None:
    archive(alice, call("a"), call("b"))
    # The first chunk was read as a whole, so nothing can be missing.
    monkeypatch.setattr(queries, "chunks_of_ids", lambda *asked: iter([[stored(alice, "b").pk]]))
    pieces = begun(alice)
    erase_archive(alice.pk)
    with pytest.raises(IncompleteExport):
        list(pieces)


@pytest.mark.usefixtures("small_pieces")
def test_a_store_restored_meanwhile_breaks_it_off(alice: User) -> None:
    open_store()
    archive(alice, call("a"))
    pieces = begun(alice)
    Store.objects.update(store_id=uuid4())
    with pytest.raises(IncompleteExport):
        list(pieces)


def test_an_id_that_is_anothers_by_now_gives_none_of_it(
    alice: User, bob: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive(alice, call("a"))
    archive(bob, call("b", prompt="secret"))
    keys = [stored(alice, "a").pk, stored(bob, "b").pk]
    monkeypatch.setattr(queries, "chunks_of_ids", lambda *asked: iter([keys]))
    given: list[bytes] = []
    with pytest.raises(IncompleteExport):
        given.extend(export.pieces(alice.pk, EVERYTHING, NEWEST_FIRST))
    assert b"secret" not in b"".join(given)
    assert list(export.lines_by_hand(alice.pk, keys, CREDITS))[1] is None


@pytest.mark.usefixtures("small_pieces")
def test_records_that_come_meanwhile_do_no_harm(alice: User) -> None:
    archive(alice, call("a"), call("b"))
    pieces = begun(alice)
    archive(alice, call("c", ts="2026-09-08 12:00:00"))
    assert b"".join(pieces).startswith(b'"a"')
