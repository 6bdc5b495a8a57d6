"""Self-registration: visitors create accounts, where the instance allows it (docs/api.md#register)."""

import math
from collections.abc import Mapping
from datetime import timedelta

from django.db import transaction

from accounts import config
from accounts.account_creation import create_account
from accounts.models import User
from accounts.signin.signin import is_password_off
from archive_site.lib import clock
from archive_site.lib.http.client_address import source_of
from archive_site.lib.storage.transaction_locks import lock_accounts
from audit import log

PERIOD = timedelta(hours=24)


class RegistrationClosed(Exception):
    """The instance does not allow registration."""


class TooManyRegistrations(Exception):
    """The address has reached its limit of registrations; `retry_after` is in seconds."""

    def __init__(self, retry_after: int):
        super().__init__(retry_after)
        self.retry_after = retry_after


def is_open() -> bool:
    # With passwords off nobody could sign in to what is made here.
    return config.instance_settings().allow_register and not is_password_off()


def register(fields: Mapping[str, str], ip: str) -> User:
    """Create an ordinary account. Raises RegistrationClosed, TooManyRegistrations or ValidationError."""
    with transaction.atomic():
        lock_accounts()
        if not is_open():
            raise RegistrationClosed
        require_room(ip)
        user = create_account(
            fields["username"],
            fields["password"],
            fields["password2"],
            display_name=fields.get("display_name", ""),
            email=fields.get("email", ""),
            register_ip=ip or None,
        )
        log.record("register", actor=user.username, user_id=user.pk, ip=ip)
    return user


def require_room(ip: str) -> None:
    """Raises TooManyRegistrations if the address has reached its limit for the last 24 hours."""
    most = config.instance_settings().register_max_per_ip
    now = clock.now()
    # An account from the future was created under a clock that ran ahead.
    recent = User.objects.filter(created_at__gt=now - PERIOD, created_at__lte=now).exclude(register_ip=None)
    times = [
        made
        for address, made in recent.order_by("-created_at").values_list("register_ip", "created_at")
        if source_of(address or "") == source_of(ip)
    ]
    if most and len(times) >= most:
        # The address may register again when the oldest of its newest `most` accounts is 24 hours old.
        raise TooManyRegistrations(math.ceil((times[most - 1] + PERIOD - now).total_seconds()))
