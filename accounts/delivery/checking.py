"""Checking addresses before they are stored: few at once, and in words why one is refused."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from django.utils.translation import gettext

from accounts.delivery.sending.addresses import ALL_SCHEMES, AddressError
from accounts.delivery.sending.schemes import LONGEST
from archive_site.lib.http.api_error import ApiError

# The accounts whose addresses this process checks, and how many these may be.
_checking: set[int] = set()
_MOST_CHECKING = 2
_places = Lock()


@contextmanager
def place(user_id: int) -> Iterator[None]:
    """Hold a place for checking: each check keeps a thread of the web server for seconds. Raises ApiError 429."""
    with _places:
        if user_id in _checking or len(_checking) >= _MOST_CHECKING:
            message = gettext("Other addresses are being checked. Try again in a moment.")
            raise ApiError(429, "too_frequent", message, retry_after=5)
        _checking.add(user_id)
    try:
        yield
    finally:
        _checking.discard(user_id)


def why_refused(error: AddressError) -> str:
    """Why an address is refused in words, as the rest of a sentence."""
    words = {
        "scheme": gettext(
            "notices cannot be sent that way. An address begins with https:// or with one of: %(schemes)s."
        ),
        "form": gettext("it cannot be read. Paste what the service shows for copying, or choose the service."),
        "part": gettext("%(part)s is missing in it or is wrong. A whole one is %(whole)s"),
        "page": gettext(
            "it is the address of a web page, which takes no notices. The address that is meant looks like %(whole)s"
        ),
        "mail": gettext(
            "this instance has no mail server. An administrator sets one (ARCHIVE_NOTIFY_MAIL), or you enter yours:"
            " mailto://user:password@mail.example.org?to=you@example.org"
        ),
        "mailbox": gettext(
            "notices cannot go to this mail address. Enter one address, without quotes, as in anna@example.org."
        ),
        "private": gettext("its host is not public, and this instance sends to public hosts only."),
        "long": gettext("it has more than %(longest)s characters."),
        "parameter": gettext("it has a parameter that is not allowed here."),
        "targets": gettext("it names more than ten receivers."),
        "unused": gettext("its parameter '%(part)s' has no effect on notices. Leave it out."),
        "unchecked": gettext("it could not be checked. Try again."),
    }
    return words[error.reason] % {
        "schemes": ", ".join(sorted(ALL_SCHEMES)),
        "longest": LONGEST,
        "part": error.part,
        "whole": error.whole,
    }
