"""What failures of windows mean for the others: docs/decisions/collection.md#windows-that-are-read-again."""

import weakref
from collections.abc import Callable

import pytest

from archive_site.lib.stored_message import Message
from collection.reading.window_failures import read_each
from collection.runs.run_outcomes import API, CollectionEnded
from collection.sources.source import UnusableAnswer


class Rows:
    """The rows of one window."""


def unusable(rows: Rows) -> None:
    raise UnusableAnswer("api", Message("no_rows_came"))


def without_end(rows: Rows) -> None:
    """The failure of a window that came from another one."""
    try:
        unusable(rows)
    except UnusableAnswer as failure:
        raise CollectionEnded(API, Message("pages_without_end", window="", count=1)) from failure


@pytest.mark.parametrize("fail", [unusable, without_end])
def test_nothing_of_a_failed_window_stays_in_memory_while_others_are_read(fail: Callable[[Rows], None]) -> None:
    seen: list[weakref.ref[Rows]] = []

    def read() -> None:
        assert not any(rows() for rows in seen)
        rows = Rows()
        seen.append(weakref.ref(rows))
        fail(rows)

    with pytest.raises((UnusableAnswer, CollectionEnded)):
        read_each([read] * 4, lambda line: None)
    assert len(seen) == 4
