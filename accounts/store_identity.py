"""The identity of the store, checked against the configuration at the start."""

import logging
from contextlib import suppress
from pathlib import Path

from django.conf import settings
from django.db import transaction

from accounts.credentials.instance_key import key_fingerprint, staged_key_in_force
from accounts.models import Store
from archive_site.lib.environment import ConfigurationError
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.locks import write_freeze
from archive_site.lib.storage.key_files import draft_of, missing
from archive_site.lib.stored_message import Message
from audit import log

logger = logging.getLogger(__name__)

# The store's id as SQL, for a query that reads it together with rows of another app.
STORE_ID = "(SELECT store_id FROM accounts_store WHERE id = 1)"


def open_store() -> Store:
    """The store's identity row, created at the first start together with the keys.

    A valid key that was replaced by hand is accepted. Raises ConfigurationError if the key is missing, or if the store
    was created under another time zone: its days would change their meaning.
    """
    settle_key()
    fingerprint = key_fingerprint()
    with transaction.atomic():
        store, _ = Store.objects.get_or_create(
            id=1, defaults={"time_zone": settings.TIME_ZONE, "key_fingerprint": fingerprint}
        )
        if store.time_zone != settings.TIME_ZONE:
            raise ConfigurationError(
                f"This instance was created under the time zone {store.time_zone}, not {settings.TIME_ZONE}: "
                f"set TZ={store.time_zone}"
            )
        if store.key_fingerprint != fingerprint:
            _take_other_key(fingerprint)
    settle_key()
    return store


def settle_key() -> None:
    """Put a staged key in place if the store uses it; else delete it, unless it is the draft of a first start.

    An interrupted restore leaves one behind. While a restore is running, leave it unchanged.
    """
    folder = settings.DATA_FOLDER
    if not folder.staged_key.exists():
        return
    try:
        with write_freeze.writing():
            if staged_key_in_force():
                place_secret_key()
                _place(folder.instance_key)
            elif folder.instance_key.exists():
                folder.staged_key.unlink(missing_ok=True)
    except ApiError:
        return


def place_secret_key() -> None:
    """Put the drafted secret key in place if there is none."""
    path = settings.DATA_FOLDER.secret_key
    if not path.exists():
        _place(path)


def _place(path: Path) -> None:
    # Another process with the same folder may have done so just now.
    with suppress(FileNotFoundError):
        draft_of(path).replace(path)


def _take_other_key(fingerprint: str) -> None:
    """Note in the store that another key was put in place; what the previous one encrypted is broken now."""
    folder = settings.DATA_FOLDER
    if not folder.instance_key.exists():
        # Another node was first.
        for path in (folder.instance_key, folder.secret_key):
            draft_of(path).unlink(missing_ok=True)
        raise missing(folder.instance_key)
    Store.objects.filter(id=1).update(key_fingerprint=fingerprint)
    log.record("key_replace", actor="command line", user_id=None, detail=Message("other_key_found"))
    logger.warning("%s holds another key than before: stored cookies are unreadable", folder.instance_key)
