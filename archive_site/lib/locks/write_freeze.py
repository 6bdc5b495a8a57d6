"""The freeze of writes while a restore replaces the store: docs/decisions/backups.md#the-freeze.

Writers share the lock of the restore, which holds it alone.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import ParamSpec

from django.utils.translation import gettext

from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.store_refusals import BUSY, RETRY_AFTER
from archive_site.lib.locks.instance_lock import Taken, held

P = ParamSpec("P")
_LOCK = "restore.lock"
# Seconds that a restore waits for writers.
PATIENCE = 10.0


class _Thread(threading.local):
    """The part of the lock that this thread holds: a share, or all."""

    share: ExitStack | None = None
    holds_all = False


_mine = _Thread()


@contextmanager
def writing() -> Iterator[None]:
    """Hold off restores during the block; does nothing within another such block.

    Raises ApiError 503 `unavailable` at once while a restore replaces the store; the message does not mention it.
    """
    if _mine.share or _mine.holds_all:
        yield
        return
    with ExitStack() as share:
        try:
            share.enter_context(held(_LOCK, shared=True))
        except Taken:
            raise ApiError(503, "unavailable", BUSY, retry_after=RETRY_AFTER) from None
        _mine.share = share
        try:
            yield
        finally:
            _mine.share = None


def leaves_off(task: Callable[P, None]) -> Callable[P, None]:
    """Skip the task while a restore replaces the store; hold off restores while the task runs."""

    @wraps(task)
    def unless_frozen(*args: P.args, **kwargs: P.kwargs) -> None:
        with ExitStack() as share:
            try:
                share.enter_context(writing())
            except ApiError:
                return
            task(*args, **kwargs)

    return unless_frozen


@contextmanager
def frozen() -> Iterator[None]:
    """Keep all others from writing during the block; this thread gives up its own share meanwhile.

    Raises ApiError 409 `busy` if others still write after `PATIENCE` seconds.
    """
    with _without_share(), ExitStack() as alone:
        try:
            alone.enter_context(held(_LOCK, wait=PATIENCE))
        except Taken:
            raise ApiError(409, "busy", gettext("Other requests are writing. Try again in a moment.")) from None
        _mine.holds_all = True
        try:
            yield
        finally:
            _mine.holds_all = False


@contextmanager
def _without_share() -> Iterator[None]:
    share = _mine.share
    if share is None:
        yield
        return
    share.close()
    try:
        yield
    finally:
        share.enter_context(held(_LOCK, shared=True, wait=PATIENCE))
