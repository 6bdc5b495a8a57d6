"""What the kit needs of a kind of source: a simulator with its truth and quirks, and an archive that reads from it."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple, Protocol

from accounts.models import User
from collection.sources.over_http import asking
from tests.sources.whole_calls import Calls

MIB = 1024 * 1024


class Played(Protocol):
    """A running source of one kind, and the archive that reads from it. `secrets` may stand in no message."""

    archive_id: int
    secrets: tuple[str, ...]

    def play(self, name: str) -> None:
        """Play one of the quirks or failures that the `Player` names, until `calm`."""
        ...

    def truth(self) -> Calls:
        """Every call until now, with all that the source ever gives of it under the quirk that it plays."""
        ...

    def add(self, moment: datetime, request_id: str, amount: Decimal) -> None:
        """Add a call, which has a text where the kind has texts, or another row of one that is there."""
        ...

    def ids_of(self, name: str) -> list[str]:
        """The ids in the archive of what was added under this one: the same where the source gives ids."""
        ...

    def remove(self, request_id: str) -> None: ...

    def calm(self) -> None:
        """End every quirk and failure."""
        ...

    def asked(self) -> int:
        """How many requests it got."""
        ...


# The quirk of kinds with a `cap_step`: a window shows no more calls than that.
A_CAP = "a cap"
# The quirk of kinds whose answers may leave out texts that other answers have.
TEXTS_LEFT_OUT = "answers without texts"


class Player(NamedTuple):
    """How a kind is played, and by which names: what its contract says it may do, which leaves the result as it is;
    strange values of some calls, with what is kept of each; the forms in which it refuses a credential; answers that
    are none of its contract; counts far above the calls that come; rows in good answers that cannot be read; answers
    after which it is asked again; and of kinds that give sums of days, sums that differ from the calls."""

    open: Callable[[User, Callable[[], datetime]], AbstractContextManager[Played]]
    quirks: tuple[str, ...]
    strange: dict[str, dict[str, Any]]
    dead: tuple[str, ...]
    foreign: tuple[str, ...]
    short: tuple[str, ...]
    odd: tuple[str, ...]
    busy: tuple[str, ...]
    other_sums: tuple[str, ...] = ()
    # How many calls a window shows under `A_CAP`, and how often a test of a credential asks.
    cap: int = 0
    asks_of_test: int = 1
    # Whether its calls have ids: two equal ones without are two calls.
    has_ids: bool = True


# The waits between two tries, which the kit does not sit out.
WAITS = [(asking, "WAITS", (0.0,) * len(asking.WAITS)), (asking, "MAX_RETRY_AFTER", 0.0)]
