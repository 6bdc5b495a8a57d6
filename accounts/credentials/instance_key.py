"""The key in force: the instance key, or the one that a restore has staged beside it."""

from django.conf import settings

from accounts.models import Store
from archive_site.lib.environment import ConfigurationError
from archive_site.lib.storage.data_folder import read_instance_key
from archive_site.lib.storage.encryption import fingerprint_of
from archive_site.lib.storage.key_files import read_fernet_key


def key_in_force() -> str:
    """The staged key if the store has its fingerprint, else the instance key.

    Read each time: it is only 44 bytes, and a restore or an administrator may have replaced it.
    """
    return staged_key_in_force() or read_instance_key(settings.DATA_FOLDER)


def key_fingerprint() -> str:
    """The fingerprint of the key in force."""
    return fingerprint_of(key_in_force())


def staged_key_in_force() -> str | None:
    """The staged key; None if there is none, or if the store has the fingerprint of another."""
    staged = _staged_key()
    if staged and Store.objects.filter(key_fingerprint=fingerprint_of(staged)).exists():
        return staged
    return None


def _staged_key() -> str | None:
    """The key that a restore has staged; None if there is none, or if it was put in place just now."""
    path = settings.DATA_FOLDER.staged_key
    if not path.exists():
        return None
    try:
        return read_fernet_key(path)
    except ConfigurationError:
        return None
