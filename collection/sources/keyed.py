"""Kinds that are asked at an address with a key: how one is stored, opened and tested (docs/sources.md#credentials).

The fields of the credential are stored as one text, the secret last, so that a hint shows the end of the secret.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Protocol
from urllib.parse import urlencode

from django.conf import settings
from django.utils.translation import gettext

from accounts import archives
from accounts.archive_changes import WrongField
from accounts.config import InstanceSettings
from accounts.credentials import credential
from accounts.credentials.credential_forms import CredentialForm, Pasted
from accounts.models import User
from archive_site.lib.i18n import sentences
from archive_site.lib.stored_message import Message
from collection.api_types import FailingCredential
from collection.sources.over_http.asking import Asking
from collection.sources.over_http.exchange import Answer, Request
from collection.sources.source import Page, Source, SourceFailure, Work
from usage.source_traits import Traits

# Seconds for a request of a test: a person waits for it.
PATIENCE = 8.0
# What a header can hold; a longer key is something else that was pasted.
SECRET = re.compile(r"[!-~]{8,512}")
NUMBER = re.compile(r"[0-9]{1,18}", re.ASCII)


@dataclass(frozen=True)
class Access:
    """Where and how an archive's source is asked. `fields` are those of the credential."""

    address: str
    fields: Mapping[str, str] = field(repr=False)
    timeout: float
    ssl_verify: bool
    page_size: int
    private_allowed: bool
    tries: int | None = None

    @property
    def secrets(self) -> tuple[str, ...]:
        return tuple(self.fields.values())

    def get(self, route: str, query: Mapping[str, object], headers: Mapping[str, str]) -> Request:
        """A request for JSON, with the headers of the credential."""
        asked = f"?{urlencode(query)}" if query else ""
        return Request("GET", f"{self.address}{route}{asked}", {**headers, **_general()})

    def post(self, route: str, body: object, headers: Mapping[str, str]) -> Request:
        """The same with a body of JSON."""
        named = {**headers, **_general(), "Content-Type": "application/json"}
        return Request("POST", f"{self.address}{route}", named, json.dumps(body).encode())

    def asking(
        self,
        work: Work,
        is_worth_another_try: Callable[[Answer], bool] = attrgetter("is_passing"),
        *,
        pause: float,
        overload_wait: float,
    ) -> Asking:
        """The requests of this source (`Asking`)."""
        return Asking(
            self.timeout,
            self.ssl_verify,
            is_worth_another_try,
            should_stop=work.should_stop,
            note=work.note,
            tries=self.tries,
            pause=pause,
            overload_wait=overload_wait,
            private_allowed=self.private_allowed,
        )


class KeyedSource(Source, Protocol):
    """A source that can say which calls its key shows."""

    def scope(self) -> Message:
        """What the key can see, in a sentence for its owner. Raises SourceFailure and ReadingStopped."""
        ...


@dataclass(frozen=True)
class KeyTrial:
    """The test of a key."""

    given: str = field(repr=False)
    text: str = field(repr=False)
    access: Access
    open: Callable[[Access, Work], KeyedSource]
    gives_calls: bool = True
    said: list[Message] = field(default_factory=list)

    @property
    def fingerprint(self) -> str:
        return credential.fingerprint(self.text, "")

    def ask(self) -> Page:
        with self.open(self.access, Work()) as source:
            page = source.check()
            # It only says more.
            with suppress(SourceFailure):
                self.said.append(source.scope())
            return page

    def telling(self, page: Page) -> str:
        works = gettext("The credential works.")
        if not page.records and self.gives_calls:
            works = gettext("The credential works, but shows no call of the last month.")
        return sentences([works, *self.said])

    def diagnose(self, failure: SourceFailure, *, has_worked: bool) -> FailingCredential:
        return FailingCredential(False, failure.cause, str(failure.message))


@dataclass(frozen=True)
class Keyed:
    """A kind whose credential has these fields, by name, the secret last; `at` is its address where it has one only."""

    traits: Traits
    fields: Mapping[str, re.Pattern[str]]
    open_with: Callable[[Access, Work], KeyedSource]
    at: str = ""

    @property
    def form(self) -> CredentialForm:
        return CredentialForm(self.traits.kind, (credential.KEY,), self._pasted, lambda text: None, _secret_of)

    def open(self, archive_id: int, instance: InstanceSettings, work: Work) -> Source:
        """The source of an archive. Raises SourceFailure `missing` or `broken` for its credential."""
        return self.open_with(self._access(archive_id, instance, *self._stored(archive_id)), work)

    def store(self, archive_id: int, given: Mapping[str, object]) -> list[str]:
        """Store a credential. Raises WrongField."""
        credential.store(archive_id, self._text_of(given))
        return []

    def trial(self, archive_id: int, body: Mapping[str, object], instance: InstanceSettings) -> KeyTrial:
        """Begin the test of a credential. Raises ApiError 400, and SourceFailure for a stored one."""
        given = self._text_of(body) if body else ""
        text, address = (given, archives.address_of(archive_id)) if given else self._stored(archive_id)
        access = self._access(archive_id, instance, text, address, timeout=min(instance.timeout, PATIENCE), tries=1)
        return KeyTrial(given, text, access, self.open_with, gives_calls=not self.traits.bills_others)

    def _access(
        self,
        archive_id: int,
        instance: InstanceSettings,
        text: str,
        address: str,
        timeout: float | None = None,
        tries: int | None = None,
    ) -> Access:
        return Access(
            address=address or self.at,
            fields=dict(zip(self.fields, text.split(" "), strict=True)),
            timeout=timeout or instance.timeout,
            ssl_verify=instance.ssl_verify,
            page_size=instance.page_size,
            private_allowed=private_allowed(archives.owner_of(archive_id)),
            tries=tries,
        )

    def _text_of(self, given: Mapping[str, object]) -> str:
        unknown = [name for name in given if name not in self.fields]
        if unknown:
            named = {"fields": ", ".join(self.fields)}
            raise WrongField("credential", gettext("A credential of this kind has %(fields)s.") % named)
        texts = []
        for name, form in self.fields.items():
            value = given.get(name)
            text = str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
            if not form.fullmatch(text):
                raise WrongField("credential", gettext("'%(name)s' is missing or has another form.") % {"name": name})
            texts.append(text)
        return " ".join(texts)

    def _stored(self, archive_id: int) -> tuple[str, str]:
        """The credential and the address for which it was given: another address takes it away, perhaps just now."""
        address = archives.address_of(archive_id)
        text = self._revealed(archive_id)
        return (text, address) if archives.address_of(archive_id) == address else self._stored(archive_id)

    def _revealed(self, archive_id: int) -> str:
        try:
            text = credential.reveal(archive_id)
        except credential.NoCredential:
            raise SourceFailure("missing", Message("credential_missing")) from None
        except credential.BrokenCredential:
            raise SourceFailure("broken", Message("credential_unreadable")) from None
        if len(text.split(" ")) != len(self.fields):
            raise SourceFailure("broken", Message("credential_unreadable"))
        return text

    def _pasted(self, text: str, address: str) -> Pasted:
        return Pasted(text)


def _general() -> dict[str, str]:
    return {
        "Accept": "application/json",
        "Accept-Encoding": "gzip, deflate",
        "User-Agent": f"usage-archive/{settings.VERSION}",
    }


def private_allowed(user_id: int) -> bool:
    """Whether the addresses of an account may be of private hosts (docs/sources.md#addresses)."""
    return settings.SOURCES_PRIVATE and User.objects.filter(pk=user_id, is_admin=True).exists()


def _secret_of(text: str) -> Iterator[str]:
    yield text.rpartition(" ")[2]
