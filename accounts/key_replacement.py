"""Replacing lost keys, for `manage.py replace_key` (docs/decisions/instance.md#keys)."""

from cryptography.fernet import Fernet
from django.conf import settings
from django.db import transaction

from accounts import store_identity
from accounts.credentials import credential
from accounts.delivery import addresses
from accounts.models import SecondFactor, Setting, Store, Webhook
from archive_site.lib.locks.maintenance_lock import maintenance_lock
from archive_site.lib.storage import key_files
from archive_site.lib.storage.encryption import fingerprint_of
from archive_site.lib.stored_message import Message
from audit import log


def only_the_secret_key_is_lost() -> bool:
    """Whether no cookie needs to break: the key that encrypts them is there."""
    folder = settings.DATA_FOLDER
    return folder.instance_key.exists() and not folder.secret_key.exists()


def stored_cookies() -> int:
    return Setting.objects.filter(key__in=[credential.KEY, credential.TOKEN]).count()


def accounts_with_receivers() -> int:
    """How many accounts have addresses of notices, or webhooks, which that key encrypts, too."""
    of_notices = Setting.objects.filter(key=addresses.KEY).values_list("user_id", flat=True)
    return len({*of_notices, *Webhook.objects.values_list("user_id", flat=True)})


def second_factors() -> int:
    """How many accounts have codes, whose secrets that key encrypts."""
    return SecondFactor.objects.exclude(sealed="").count()


def replace() -> None:
    """Replace the lost keys, or the instance key if none is lost, with an audit entry.

    Cookies that the previous instance key encrypted are broken then. Raises ApiError 409 `busy`.
    """
    with maintenance_lock():
        store_identity.settle_key()
        if only_the_secret_key_is_lost():
            store_identity.place_secret_key()
            _record(Message("secret_key_replaced"))
            return
        key = Fernet.generate_key().decode()
        # Until the store names it, it is only a draft: a death before that changes nothing.
        key_files.replace(settings.DATA_FOLDER.staged_key, key)
        with transaction.atomic():
            named = {"key_fingerprint": fingerprint_of(key)}
            Store.objects.update_or_create(
                id=1, defaults=named, create_defaults={**named, "time_zone": settings.TIME_ZONE}
            )
            _record(Message("instance_key_replaced", count=stored_cookies()))
        store_identity.settle_key()


def _record(detail: Message) -> None:
    log.record("key_replace", actor="command line", user_id=None, detail=detail)
