"""What the store remembers of itself, held against how the instance is started."""

from django.conf import settings
from django.db import transaction

from accounts.models import Store
from archive_site.lib.encryption import key_fingerprint
from archive_site.lib.environment import ConfigurationError


def open_store() -> Store:
    """The store's own row, made at the first start. A valid key put there by hand is taken.

    Raises ConfigurationError when the store was made under another time zone: its days would mean something else.
    """
    fingerprint = key_fingerprint()
    with transaction.atomic():
        store, _ = Store.objects.get_or_create(
            id=1, defaults={"time_zone": settings.TIME_ZONE, "key_fingerprint": fingerprint}
        )
        if store.time_zone != settings.TIME_ZONE:
            raise ConfigurationError(
                f"This archive was made under the time zone {store.time_zone}, not {settings.TIME_ZONE}: "
                f"set TZ={store.time_zone}"
            )
        if store.key_fingerprint != fingerprint:
            Store.objects.filter(id=1).update(key_fingerprint=fingerprint)
    return store
