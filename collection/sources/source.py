"""What a source of calls is to the rest of the service (docs/sources.md#the-interface)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, NamedTuple, Protocol, Self

from accounts.config import InstanceSettings
from archive_site.lib.stored_message import Message
from collection.api_types import FailingCredential
from usage.incoming.record import IncomingRecord
from usage.packages.order import Orders
from usage.packages.package import Packages, WantedPackage
from usage.proofs.bill import Bill, Spent
from usage.source_traits import Traits

# Why a source gave nothing: no credential, one that cannot be decrypted, one that it refuses, or all else.
Outcome = Literal["missing", "broken", "refused", "api"]


class SourceFailure(Exception):
    """The source gave no usable answer. `message` is for the account's owner and contains no secret.

    `cause` says more of the failure in words of the kind. One that `concerns_credential` would meet every question, so
    it says nothing of the window that was asked for.
    """

    def __init__(
        self, outcome: Outcome, message: Message, cause: str = "api", *, concerns_credential: bool = False
    ) -> None:
        super().__init__(outcome, message)
        self.outcome = outcome
        self.message = message
        self.cause = cause
        self.concerns_credential = concerns_credential or outcome != "api"

    @property
    def beside_calls(self) -> Message:
        """What to say of it where the same credential gave the calls."""
        return Message("refused_beside_calls") if self.outcome == "refused" else self.message

    def __str__(self) -> str:
        return str(self.message)


class UnusableAnswer(SourceFailure):
    """The source answered, but not with rows: another window may have them."""


class ReadingStopped(Exception):
    """The caller's `should_stop` ended the exchange."""


@dataclass(frozen=True)
class Page:
    """One page of a window: `received` counts its rows, including those of `skipped` (a message for each).

    `without_id` of the skipped rows have no requestId, so the answer is broken. `total` is the source's count for the
    window, `ended` means that the page is past the last one, and `asked_at` is the aware moment of the request.
    `repeated` rows have an id that another row of the same answer has; they come before the one that counts. An answer
    that is not `is_counted` came without `total`. `outside` of the records are from outside of the window.
    One that `is_full` has exactly the rows that were asked for.
    `unread_days` are those of the skipped rows, empty where a row has no readable time. One that `is_capped` says
    itself that `total` is where the source stopped counting.
    """

    records: list[IncomingRecord]
    total: int
    received: int
    skipped: list[Message]
    ended: bool
    asked_at: datetime
    without_id: int = 0
    repeated: int = 0
    is_counted: bool = True
    outside: int = 0
    is_full: bool = False
    unread_days: tuple[str, ...] = ()
    is_capped: bool = False

    def is_last(self, position: int) -> bool:
        """Whether no page follows, by its count; `position` is how many rows came with it and the pages before.

        After a full page a count below the rows proves no end, nor does one that only counts the page, or is capped.
        """
        if self.is_capped:
            return not self.is_full
        if position < self.total:
            return False
        return not self.is_full or position == self.total != self.received


class FirstAnswer(NamedTuple):
    """Whether the first of two credentials, the one of this fingerprint, is refused."""

    fingerprint: str
    is_refused: bool


class Source(Protocol):
    """Reads the calls of one archive. It is closed at the end of a `with`."""

    traits: Traits

    # What it said to the first of two credentials; None where that is not known, or it has one alone.
    first_answer: FirstAnswer | None

    @property
    def credential(self) -> tuple[str, str]:
        """The secret that it is asked with, and the account that this names; both empty of kinds that tell no accounts
        apart."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(self, *exception: object) -> None: ...

    def check(self) -> Page:
        """Ask for the newest call, once, to see what the credential gives. Raises SourceFailure and ReadingStopped."""
        ...

    def count(self, start: datetime, end: datetime) -> Page:
        """Ask how many calls there are from `start` to `end`, both included; the page holds few of them or none.

        Raises SourceFailure and ReadingStopped.
        """
        ...

    def pages(self, start: datetime, end: datetime) -> Iterator[Page]:
        """The pages of the aware instants `start` to `end`, both included, in order; the caller stops after the last.

        Each is asked for when it is taken. Raises SourceFailure and ReadingStopped.
        """
        ...

    def bills(self, first: date, last: date) -> Iterator[Bill]:
        """The bill of each day from `first` to `last` in UTC, in order, where the kind gives sums of days.

        Raises SourceFailure and ReadingStopped.
        """
        ...

    def spent(self) -> Spent | None:
        """What a counter shows to be spent in all; None of a kind that has none. Raises SourceFailure and
        ReadingStopped.
        """
        ...

    def orders(self, *, are_known: bool) -> Orders | None:
        """What was paid for packages; None where the kind has none. If some `are_known`, also whether they are gone.

        Raises SourceFailure and ReadingStopped.
        """
        ...

    def packages(self, wanted: Sequence[WantedPackage]) -> Packages | None:
        """The packages of credits of now, and what became of those of `wanted`; None where the kind has none.

        Raises SourceFailure and ReadingStopped.
        """
        ...


@dataclass(frozen=True)
class Work:
    """What a source is opened for: `should_stop` is asked twice a second, `note` gets a line for each wait."""

    should_stop: Callable[[], bool] = lambda: False
    note: Callable[[Message], None] = lambda line: None


class Opener(Protocol):
    """Opens the source of an archive; raises SourceFailure `missing` or `broken` for its credential."""

    def __call__(self, archive_id: int, instance: InstanceSettings, work: Work) -> Source: ...


class Storer(Protocol):
    """Stores a credential of an archive, in the caller's transaction; gives warnings for its owner.

    Raises WrongField for one that is not accepted.
    """

    def __call__(self, archive_id: int, given: Mapping[str, object]) -> list[str]: ...


class Trial(Protocol):
    """A credential that is tested before it is saved: what was given, completed by what is stored."""

    @property
    def given(self) -> str:
        """The secret that was given; empty where the stored one is tested."""
        ...

    @property
    def fingerprint(self) -> str:
        """What recognises the credential (`accounts.credentials.credential.fingerprint`)."""
        ...

    def ask(self) -> Page:
        """Ask for the newest call, once. Raises SourceFailure."""
        ...

    def telling(self, page: Page) -> str:
        """What a good answer means for the owner."""
        ...

    def diagnose(self, failure: SourceFailure, *, has_worked: bool) -> FailingCredential:
        """What a failure means for the owner, and what to do; `has_worked`: the credential was accepted before."""
        ...


class Trier(Protocol):
    """Begins the test of a credential that a body gives, or else of the stored one.

    Raises ApiError 400 `invalid`, and SourceFailure `missing` or `broken` where a stored one is needed.
    """

    def __call__(self, archive_id: int, body: Mapping[str, object], instance: InstanceSettings) -> Trial: ...
