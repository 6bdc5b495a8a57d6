"""The identity of the store, checked against the configuration at the start."""

from django.conf import settings
from django.db import transaction

from accounts.instance_key import key_fingerprint, staged_key_in_force
from accounts.models import Store
from archive_site.lib.environment import ConfigurationError
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.locks import write_freeze

# The store's id as SQL, for a query that reads it together with rows of another app.
STORE_ID = "(SELECT store_id FROM accounts_store WHERE id = 1)"


def open_store() -> Store:
    """The store's identity row, created at the first start. A valid key that was replaced by hand is accepted.

    Raises ConfigurationError if the store was created under another time zone: its days would change their meaning.
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
            Store.objects.filter(id=1).update(key_fingerprint=fingerprint)
    return store


def settle_key() -> None:
    """Put a staged key that an interrupted restore left behind in place if the store uses it, else delete it.

    While a restore is running, leave it unchanged.
    """
    folder = settings.DATA_FOLDER
    if not folder.staged_key.exists():
        return
    try:
        with write_freeze.writing():
            if staged_key_in_force():
                folder.staged_key.replace(folder.instance_key)
            else:
                folder.staged_key.unlink(missing_ok=True)
    except ApiError:
        return
