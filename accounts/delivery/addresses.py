"""The addresses that an account's notices go to: encrypted at rest as the cookie is (docs/decisions/notices.md)."""

import json
from dataclasses import dataclass, field

from django.utils.crypto import salted_hmac

from accounts import setting_rows
from accounts.credentials.instance_key import key_in_force
from accounts.delivery.sending import appearance
from archive_site.lib.storage.encryption import Undecryptable, decrypt, encrypt

KEY = "notice_addresses"
MOST = 10


class BrokenAddresses(Exception):
    """The addresses were encrypted with another instance key and must be entered again."""


@dataclass(frozen=True)
class StoredAddress:
    """An address of an account; `id` recognises it without holding it. `shown`: its name, or what may be seen of it."""

    text: str = field(repr=False)
    shown: str
    name: str = ""

    @property
    def id(self) -> str:
        return salted_hmac("accounts.notices", self.text, algorithm="sha256").hexdigest()

    @property
    def place(self) -> str:
        """What may be seen of it, whatever its name."""
        return appearance.shown(self.text)

    @property
    def in_plain(self) -> str:
        """Its scheme: names and hosts are encrypted, too."""
        return f"{appearance.scheme(self.text)}://…"

    @property
    def service(self) -> str:
        """The name of its service, or its scheme."""
        return appearance.service_of(self.text)


def named(text: str, name: str = "") -> StoredAddress:
    """An address under a name, or without one."""
    return StoredAddress(text, name or appearance.shown(text), name)


def of_account(user_id: int) -> list[StoredAddress]:
    """The addresses, in the order in which they were given. Raises BrokenAddresses."""
    stored = setting_rows.value_of(user_id, KEY)
    if stored is None:
        return []
    try:
        rows = json.loads(decrypt(stored, key_in_force()))
    except Undecryptable:
        raise BrokenAddresses from None
    # Names are younger than addresses.
    return [named(text, *name) for text, _, *name in rows]


def usable(user_id: int) -> list[StoredAddress]:
    """The addresses, none where they are broken."""
    try:
        return of_account(user_id)
    except BrokenAddresses:
        return []


def are_broken(user_id: int) -> bool:
    """Whether there are addresses that must be entered again."""
    try:
        of_account(user_id)
    except BrokenAddresses:
        return True
    return False


def replace(user_id: int, addresses: list[StoredAddress]) -> None:
    """Store these addresses in place of the present ones."""
    if not addresses:
        forget(user_id)
        return
    rows = json.dumps([(address.text, address.shown, address.name) for address in addresses])
    setting_rows.store(user_id, KEY, encrypt(rows, key_in_force()))


def forget(user_id: int) -> None:
    setting_rows.delete(user_id, KEY)
