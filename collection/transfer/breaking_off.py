"""What is said of an import that breaks off outside of its runs; `import_storing` says what happens in them."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import DatabaseError
from django.utils.translation import gettext_lazy

from archive_site.lib.http.api_error import ApiError
from archive_site.lib.i18n import Words
from archive_site.lib.storage import disk_space
from archive_site.lib.stored_message import Message
from collection.transfer.import_storing import ImportStopped

_NOTHING_IMPORTED = gettext_lazy("The disk is full: nothing was imported.")


@contextmanager
def full_disk_refused(words: Words = _NOTHING_IMPORTED) -> Iterator[None]:
    """Raises ApiError 507 `no_space` where the disk is full during the block."""
    try:
        yield
    except (OSError, sqlite3.Error, DatabaseError) as error:
        if not disk_space.is_full(error):
            raise
        raise ApiError(507, "no_space", words) from None


@contextmanager
def further_archive_named() -> Iterator[None]:
    """Add to an error in the block, which fills a further archive of a file, that those before it are filled."""
    try:
        with full_disk_refused(gettext_lazy("The disk is full.")):
            yield
    except ApiError as error:
        error.words = _after_others(error.words)
        raise
    except ImportStopped as stopped:
        raise ImportStopped(_after_others(stopped.message)) from None
    except KeyboardInterrupt:
        raise ImportStopped(_after_others(Message("stopped_at_once"))) from None


def _after_others(why: Words | Message) -> Message:
    return Message("import_cut_off_between", why=why if isinstance(why, Message) else str(why))
