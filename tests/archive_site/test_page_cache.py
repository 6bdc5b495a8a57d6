"""The page cache while a run writes: docs/decisions/store.md#page-cache-of-a-run."""

import pytest
from django.db import connection

from archive_site.lib.storage import page_cache
from archive_site.lib.storage.sql import fetch
from collection.runs import lease

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.sqlite_only]
WIDE = -page_cache.KIBIBYTES


def size() -> int:
    [(pages,)] = fetch("PRAGMA cache_size")
    return int(pages)


def test_what_holds_the_lease_has_a_larger_one() -> None:
    usual = size()
    with lease.kept(lease.take_or_refuse()):
        assert size() == WIDE
    assert size() == usual > WIDE


def test_a_failure_gives_it_back() -> None:
    usual = size()
    with pytest.raises(ZeroDivisionError), page_cache.of_a_run():
        raise ZeroDivisionError
    assert size() == usual


def test_a_connection_that_was_closed_meanwhile_has_the_usual_one() -> None:
    usual = size()
    with page_cache.of_a_run():
        connection.close()
    assert size() == usual
    with page_cache.of_a_run():
        connection.close()
        assert size() == usual
