"""Credentials of each kind of source: how one is pasted, and when it ends (docs/sources.md#credentials).

A kind registers its form at the start of a process: accounts and settings know none of them.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from accounts.archives import kind_of
from audit import known_secrets

# Characters of a pasted text: a HAR file, or all requests of a page. The body of a request has at most 1 MiB.
LONGEST = 1_000_000


@dataclass(frozen=True)
class Pasted:
    """The credential in a pasted text, and the User-Agent pasted with it (empty if none); neither is checked.

    `host` is that of the copied request, empty if unknown. `warnings` are sentences for the reader.
    """

    secret: str = field(repr=False)
    user_agent: str = field(default="", repr=False)
    host: str = ""
    warnings: tuple[str, ...] = ()


class CredentialForm(NamedTuple):
    """How the credentials of a kind are read.

    `read` finds the credential for the source at an address in a pasted text; it raises ValueError with a message
    that follows the name of the credential. `ends_at` is the end that a credential names, None where it names none.
    `settings` are the keys of the settings that a source judges: a refusal ends with a change of one. `secret_parts`
    are the parts of a text that may be secrets, if it is a credential of the kind. `account` is the name of the
    account that a credential is of, empty where it does not say it, `token_ends_at` the end that a token beside it
    names, and `warnings` what is to be said to who stores one
    for an archive.
    """

    kind: str
    settings: tuple[str, ...]
    read: Callable[[str, str], Pasted]
    ends_at: Callable[[str], datetime | None]
    secret_parts: Callable[[str], Iterable[str]]
    account: Callable[[str], str] = lambda secret: ""
    token_ends_at: Callable[[str], datetime | None] = lambda text: None
    warnings: Callable[[int, str], list[str]] = lambda archive_id, secret: []


_KNOWN: dict[str, CredentialForm] = {}


def register(form: CredentialForm) -> None:
    """Make the form of a kind known, at the start of a process."""
    _KNOWN[form.kind] = form
    known_secrets.declare(form.secret_parts)


def form_of(archive_id: int) -> CredentialForm:
    """The form of the credentials of an archive's source."""
    return _KNOWN[kind_of(archive_id)]


def settings_of(archive_id: int) -> Sequence[str]:
    """The keys of the settings that the source of an archive judges; none of one that is not asked."""
    form = _KNOWN.get(kind_of(archive_id))
    return form.settings if form else ()


def settings_of_all() -> list[str]:
    """The keys of the settings of all kinds."""
    return sorted({key for form in _KNOWN.values() for key in form.settings})
