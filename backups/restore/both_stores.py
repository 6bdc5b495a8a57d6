"""The new store beside the live one, for statements that read and write both, whatever their engine."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any


class BothStores(ABC):
    """`new` and `live` are what stands before the names of their tables. Statements mark values by `%s`."""

    new: str
    live: str

    @abstractmethod
    def transaction(self) -> AbstractContextManager[None]:
        """Statements within the block are in one transaction. Nobody writes to the live store meanwhile."""

    @abstractmethod
    def fetch(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query."""

    @abstractmethod
    def execute(self, statement: str, values: Sequence[Any] = ()) -> None: ...

    @abstractmethod
    def instant(self, at: datetime) -> object:
        """A time as the new store holds it."""

    @abstractmethod
    def counters(self, where: str) -> dict[str, int]:
        """The highest id that was ever given, by table, in `new` or in `live`."""

    @abstractmethod
    def set_counters(self, highest: dict[str, int]) -> None:
        """Make the new store go on after these ids."""
