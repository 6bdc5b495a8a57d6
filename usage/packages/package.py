"""A package of credits as a source shows it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple


class Kind(StrEnum):
    """What a package is; at equal ends they are used in this order."""

    PLAN = "plan"
    ADD_ON = "add_on"
    GIFT = "gift"


class State(StrEnum):
    VALID = "valid"
    USED_UP = "used_up"
    EXPIRED = "expired"
    REFUNDED = "refunded"


class Key(NamedTuple):
    """What recognises a package within an archive; `cycle` is empty but for plans."""

    resource_id: str
    cycle: str = ""


@dataclass(frozen=True)
class SeenPackage:
    """A package as it was read: parts of the archive's unit, aware instants; `used` is None where it is not said, and
    so is `renews`, whether another cycle of a plan follows."""

    key: Key
    code: str
    name: str
    kind: Kind
    size: int
    left: int
    used: int | None
    granted_at: datetime | None
    expires_at: datetime | None
    state: State
    renews: bool | None = None


@dataclass(frozen=True)
class WantedPackage:
    """A package that may still be valid, for which a run can ask by its code; `left` in parts of the unit."""

    key: Key
    code: str
    name: str
    kind: Kind
    granted_at: datetime | None
    expires_at: datetime | None
    left: int


@dataclass(frozen=True)
class Packages:
    """What a source showed at the aware instant `asked_at`. Packages `looked_for` that are not among these are gone;
    `unreadable` counts those that could not be read, and `ids` are those that the source gave, which no other account
    has."""

    seen: Sequence[SeenPackage]
    looked_for: Collection[Key]
    unreadable: int
    asked_at: datetime
    ids: Collection[str] = ()


def state_of(seen: State, left: int, expires_at: datetime | None, now: datetime) -> State:
    """What a package is now: one that the source last showed as valid may have ended since, or have nothing left."""
    if seen is not State.VALID:
        return seen
    if left <= 0:
        return State.USED_UP
    return State.EXPIRED if expires_at is not None and expires_at <= now else State.VALID
