"""What the failure of one window means for the others, and for the message of the run
(docs/decisions/collection.md#windows-that-are-read-again)."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from archive_site.lib.http import store_refusals
from archive_site.lib.stored_message import Message
from collection.runs import lease
from collection.runs.run_outcomes import ACCOUNT_FULL, BY_SOURCE_FAILURE, CollectionEnded, RunOutcome
from collection.sources.source import ReadingStopped, SourceFailure, UnusableAnswer
from usage.stored_size import AccountFull

MOST_FAILURES = 5


def may_be_of_window(failure: Exception) -> bool:
    """Whether another window may be read in spite of a failure, also of one that nobody expects."""
    if isinstance(failure, SourceFailure):
        return not failure.concerns_credential
    return (
        not isinstance(failure, ReadingStopped | lease.LeaseLost | AccountFull)
        and store_refusals.refusal_of(failure) is None
    )


def read_each(readings: Iterable[Callable[[], None]], tell: Callable[[Message], None]) -> None:
    """Read each window, also after one that failed; raises the first failure at the end.

    A failure that is not the window's own ends them, or each window would wait for the network again. So does the last
    of `MOST_FAILURES`, or a run would read all windows of a source that answers none of them.
    """
    failures: list[SourceFailure | CollectionEnded] = []
    for read in readings:
        try:
            read()
        except (UnusableAnswer, CollectionEnded) as failure:
            _let_go(failure)
            failures.append(failure)
            if len(failures) > 1:
                tell(failure.message)
            if len(failures) == MOST_FAILURES:
                break
        except SourceFailure:
            for earlier in failures[:1]:
                tell(earlier.message)
            raise
    if failures:
        raise failures[0]


def _let_go(failure: BaseException) -> None:
    """Free the frames that a failure came through, with all rows of its window: only its message is needed."""
    each: BaseException | None = failure
    while each:
        each.__traceback__ = None
        each = each.__cause__ or each.__context__


def outcome_of(failure: SourceFailure | CollectionEnded | AccountFull) -> RunOutcome:
    if isinstance(failure, AccountFull):
        return ACCOUNT_FULL
    return failure.outcome if isinstance(failure, CollectionEnded) else BY_SOURCE_FAILURE[failure.outcome]


@contextmanager
def saying_what_is_stored(stored: Callable[[], Message | None]) -> Iterator[None]:
    """Add to the message of a failure what the run stored in spite of it, if anything."""
    try:
        yield
    except (SourceFailure, CollectionEnded, AccountFull) as failure:
        rest = stored()
        if rest is None:
            raise
        message = Message("failed_in_part", why=failure.message, rest=rest)
        raise CollectionEnded(outcome_of(failure), message) from failure
