"""Which account of its source an archive has, as a credential tells (docs/decisions/collection.md#one-account)."""

from django.utils.translation import gettext

from accounts.credentials import credential
from accounts.credentials.credential_forms import form_of
from collection.models import AccountOfArchive

_SHOWN, _MEDIUM, _LONG = 4, 6, 10


def warnings(archive_id: int, secret: str, named: str = "") -> list[str]:
    """What to tell the owner about a credential that is known to be of another account than the archive."""
    known = AccountOfArchive.objects.filter(archive_id=archive_id).first()
    if known is None or not (
        fingerprint(secret) == known.refused or names_another(known, named or form_of(archive_id).account(secret))
    ):
        return []
    return [
        gettext(
            "This credential is of another account than the calls of this archive, so the next collection will store "
            "nothing. Make another archive for it."
        )
    ]


def names_another(known: AccountOfArchive, named: str) -> bool:
    """Whether a credential names another account than the one that is known."""
    return bool(named and known.account and named != known.account)


def masked(account: str) -> str:
    """A name of an account that people recognise, and nobody else can use."""
    if len(account) >= _LONG:
        return f"{account[:_SHOWN]}…{account[-2:]}"
    return f"{account[:2]}…{account[-2:]}" if len(account) >= _MEDIUM else f"{account[:2]}…"


def fingerprint(secret: str) -> str:
    """What recognises a credential, whatever browser it came from."""
    return credential.fingerprint(secret, "")
