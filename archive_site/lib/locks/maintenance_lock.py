"""The lock of work on the whole store or on its backups: one at a time."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from django.utils.translation import gettext, gettext_noop

from archive_site.lib.http.api_error import ApiError
from archive_site.lib.locks import instance_lock

BUSY = gettext_noop("A backup, a restore or a compaction is under way. Wait until it has ended.")


@contextmanager
def maintenance_lock() -> Iterator[None]:
    """Exclude another creation, pruning, deletion, restore or compaction. Raises ApiError 409 `busy`."""
    with ExitStack() as stack:
        try:
            stack.enter_context(instance_lock.held("backups/.lock"))
        except instance_lock.Taken:
            raise ApiError(409, "busy", gettext(BUSY)) from None
        yield
