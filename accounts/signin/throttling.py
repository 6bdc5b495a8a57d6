"""The throttle of failed sign-ins: 10 per name and 30 per address in 15 minutes (docs/api.md#sign-in-throttle).

A try is counted before the password is checked and taken back on success, so that parallel guesses cannot exceed the
limit. A wrong captcha counts for the address alone. The tries of a browser that has signed in to the account before
count for that device alone (docs/decisions/accounts.md#device-cookies). Invitation links
that are not open have a count of their own.
"""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from django.core.cache import caches
from django.core.cache.backends.base import BaseCache

from accounts.models import username_key
from archive_site.lib.http.client_address import source_of

WINDOW = 15 * 60
# A window that ends later than this after a whole one began under a clock that was wrong.
_AHEAD = 60
MOST_BY_NAME = MOST_BY_DEVICE = 10
MOST_BY_ADDRESS = 30
MOST_LINKS_BY_ADDRESS = 30
# Codes of an account from browsers that have not signed in to it before, in a day.
CODES_WINDOW = 24 * 3600
MOST_CODES = 50


class TooManyFailures(Exception):
    """The name, the address or the device failed too often; `retry_after` is in seconds."""

    def __init__(self, retry_after: int):
        super().__init__(retry_after)
        self.retry_after = retry_after


@dataclass(frozen=True)
class Try:
    """One counted try to sign in: for a device, else for a name, an address and, with a code, for all codes."""

    name: str
    address: str
    device: str = ""
    codes: str = ""

    @property
    def most(self) -> dict[str, int]:
        """How often what it counts for may fail."""
        if self.device:
            return {self.device: MOST_BY_DEVICE, **({f"{self.codes}:{self.device}": MOST_CODES} if self.codes else {})}
        counted = {self.name: MOST_BY_NAME, self.address: MOST_BY_ADDRESS, self.codes: MOST_CODES}
        return {subject: most for subject, most in counted.items() if subject}

    def succeeded(self) -> None:
        """Clear the failures of the device, else of the name; take the try back from all else that it counts for."""
        cleared = self.device or self.name
        if cleared:
            _cache().delete_many([_key(cleared), _until(cleared)])
        for subject in self.most.keys() - {cleared}:
            _take_back(subject)

    def take_back(self) -> None:
        """Let this try count as none; those before it still do."""
        for subject in self.most:
            _take_back(subject)


def count_try(username: str, address: str, device: str = "", *, codes_of: int | None = None) -> Try:
    """Count a try as a failure until it succeeds. Raises TooManyFailures if there were too many before.

    `codes_of` is the account whose code is tried: seven of a million are right at any moment, so who knows its password
    and waited for each window would find one within weeks.
    """
    codes = f"codes:{codes_of}" if codes_of else ""
    # A try without a name, as with a passkey alone, counts for the address.
    name = _name_subject(username) if username else ""
    attempt = Try(name, _address_subject(address), _device_subject(device), codes)
    _count_each(attempt.most)
    return attempt


def count_wrong_captcha(address: str, device: str = "") -> None:
    """Count a failure of the device or of the address, not of a name. Raises TooManyFailures as a try does."""
    _count_each({_device_subject(device): MOST_BY_DEVICE} if device else {_address_subject(address): MOST_BY_ADDRESS})


def count_link(address: str) -> Callable[[], None]:
    """Count an opened invitation link as a failure of the address; give what takes that back.

    Raises TooManyFailures if there were too many before, so that nobody can go on guessing.
    """
    subject = f"link-{_address_subject(address)}"
    _count_each({subject: MOST_LINKS_BY_ADDRESS})
    return partial(_take_back, subject)


def has_failed(username: str, address: str, device: str = "") -> bool:
    """Whether a sign-in failed recently for this name, from this address or on this device."""
    names = [_name_subject(username)] if username else []
    devices = [_device_subject(device)] if device else []
    subjects = [_address_subject(address), *names, *devices]
    return any(_cache().get(_key(subject), 0) > 0 and _seconds_left(subject) <= WINDOW + _AHEAD for subject in subjects)


def _count_each(most: dict[str, int]) -> None:
    over = [subject for subject in most if _count(subject) > most[subject]]
    if over:
        # A refused try does not count as another failure.
        for subject in most:
            _take_back(subject)
        raise TooManyFailures(max(_seconds_left(subject) for subject in over))


def _count(subject: str) -> int:
    cache, window = _cache(), CODES_WINDOW if subject.startswith("codes:") else WINDOW
    if _seconds_left(subject) > window + _AHEAD:
        cache.delete_many([_key(subject), _until(subject)])
    # The end of the window is stored beside the count: a cache cannot report the remaining time of a key.
    cache.add(_until(subject), int(time.time()) + window, window)
    cache.add(_key(subject), 0, window)
    try:
        return int(cache.incr(_key(subject)))
    except ValueError:
        # The count expired just now: this try is the first of a new window.
        cache.add(_key(subject), 1, window)
        return 1


def _take_back(subject: str) -> None:
    try:
        _cache().decr(_key(subject))
    except ValueError:
        return


def _seconds_left(subject: str) -> int:
    return max(1, int(_cache().get(_until(subject), 0)) - int(time.time()))


def _name_subject(username: str) -> str:
    # Names are kept as hashes: people type passwords there.
    return "name:" + hashlib.sha256(username_key(username).encode(errors="replace")).hexdigest()


def _address_subject(address: str) -> str:
    return f"address:{source_of(address)}"


def _device_subject(device: str) -> str:
    return f"device:{device}" if device else ""


def _key(subject: str) -> str:
    return f"signin:{subject}"


def _until(subject: str) -> str:
    return f"signin-until:{subject}"


def _cache() -> BaseCache:
    return caches["counters"]
