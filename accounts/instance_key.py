"""Which key is in force: the instance's own, or the one that a restore has staged beside it."""

from django.conf import settings

from accounts.models import Store
from archive_site.lib.environment import ConfigurationError
from archive_site.lib.storage.data_folder import read_fernet_key, read_instance_key
from archive_site.lib.storage.encryption import fingerprint_of


def key_in_force() -> str:
    """The instance key, or the staged one where the store names that one by its fingerprint.

    Read each time: it is 44 bytes, and a restore or an administrator may have put another one there.
    """
    return staged_key_in_force() or read_instance_key(settings.DATA_FOLDER)


def key_fingerprint() -> str:
    """The fingerprint of the key in force."""
    return fingerprint_of(key_in_force())


def staged_key_in_force() -> str | None:
    """The staged key where the store names it; None where there is none, or the store names another."""
    staged = _staged_key()
    if staged and Store.objects.filter(key_fingerprint=fingerprint_of(staged)).exists():
        return staged
    return None


def _staged_key() -> str | None:
    """The key that a restore has laid beside the instance's; None where there is none, or it was just put in place."""
    path = settings.DATA_FOLDER.staged_key
    if not path.exists():
        return None
    try:
        return read_fernet_key(path)
    except ConfigurationError:
        return None
