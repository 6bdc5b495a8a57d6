"""What people see of an address: its host where that is no secret, and the service that it is for."""

import re

from accounts.delivery.sending.mailboxes import mailbox_of
from accounts.delivery.sending.offered.recognition import known_place, target_of
from accounts.delivery.sending.offered.service import IncompleteError
from accounts.delivery.sending.schemes import UnusableError, scheme_of

# Only where no other reading is possible: an @ further on may end a password that has a slash.
_WITH_HOST = re.compile(r"(?i:[a-z]+)://(?:[^/?#\\]*@)?((?:\[[0-9a-fA-F:.]+\]|[\w.-]+)(?::\d+)?)(?:[/?#][^@]*)?")
# As in ntfy+https://.
_SERVICE_BEFORE = re.compile(r"[a-z]+\+(?=https?://)", re.IGNORECASE)
# Schemes that name a host. Others have a token in its place.
_OF_HOSTS = {
    name + end
    for name in ("json", "form", "xml", "bark", "gotify", "mmost", "rocket", "signal", "workflow", "mailto", "http")
    for end in ("", "s")
}
# A host, or a topic or key, which has no dot.
_OF_SOME_HOSTS = {"ntfy", "ntfys", "pushdeer", "pushdeers"}
MAIL = "mail"


def with_host(address: str) -> str:
    """Scheme and host of an address, as path, query and user may all be secret."""
    begin, found = scheme_of(address), _WITH_HOST.fullmatch(address)
    is_host = found and (begin not in _OF_SOME_HOSTS or "." in found[1])
    return f"{begin}://{found[1]}/…" if found and is_host else f"{begin}://…"


def shown(text: str) -> str:
    """A mail address as it is; of others scheme and host, or the scheme alone."""
    if mailbox := mailbox_of(text):
        return mailbox
    if place := known_place(text):
        return f"{scheme_of(text)}://{place}/…"
    names_host = scheme(text) in _OF_HOSTS | _OF_SOME_HOSTS
    return with_host(_SERVICE_BEFORE.sub("", text)) if names_host else f"{scheme(text)}://…"


def scheme(text: str) -> str:
    """How an address begins, which is no secret; that of a mail address is `mailto`."""
    return "mailto" if mailbox_of(text) else scheme_of(_SERVICE_BEFORE.sub("", text)) or ""


def service_of(text: str) -> str:
    """The name of a service that the page offers, or the scheme."""
    if mailbox_of(text):
        return MAIL
    try:
        target = target_of(text)
    except (IncompleteError, UnusableError):
        target = None
    return target.service if target else scheme_of(text) or ""
