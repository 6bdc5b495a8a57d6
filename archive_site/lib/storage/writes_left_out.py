"""Writes that may be left out: they do not wait for other writers as long as others do."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import OperationalError, connection

from archive_site.lib.storage import busy_errors, engine, lock_wait, waiting_writers

_MILLISECONDS = 100


@contextmanager
def left_out_if_busy() -> Iterator[None]:
    """On SQLite, leave out the write of the block while another writer keeps the store locked.

    PostgreSQL locks rows only, so nobody waits long there.
    """
    if not engine.IS_SQLITE:
        yield
        return
    _wait_at_most(_MILLISECONDS)
    try:
        with waiting_writers.tried_once():
            yield
    except OperationalError as error:
        if not busy_errors.is_busy(error):
            raise
    finally:
        _wait_at_most(int(lock_wait.of_one_try() * 1000))


def _wait_at_most(milliseconds: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA busy_timeout={milliseconds}")
