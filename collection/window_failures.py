"""What the failure of one window means for the others, and for the message of the run
(docs/decisions.md#windows-that-are-read-again)."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from archive_site.lib.http import store_refusals
from archive_site.lib.stored_message import Message
from collection import lease
from collection.run_outcomes import BY_UPSTREAM_FAILURE, CollectionEnded, RunOutcome
from collection.upstream.client import UpstreamFailure, UpstreamStopped

# Refusals of every request: they say nothing about the window that was asked for.
_OF_CREDENTIAL = frozenset({"expired", "refused", "user_agent_refused", "cookie_too_large"})


def may_be_of_window(failure: Exception) -> bool:
    """Whether another window may be read in spite of a failure, also of one that nobody expects."""
    if isinstance(failure, UpstreamFailure):
        return failure.cause not in _OF_CREDENTIAL
    return not isinstance(failure, UpstreamStopped | lease.LeaseLost) and store_refusals.refusal_of(failure) is None


def read_each(readings: Iterable[Callable[[], None]], tell: Callable[[Message], None]) -> None:
    """Read windows of which none may keep another from its turn; raises the first failure at the end.

    A failure that concerns every window ends them, also a network that fails: each window would wait for it again.
    """
    first: UpstreamFailure | CollectionEnded | None = None
    for read in readings:
        try:
            read()
        except (UpstreamFailure, CollectionEnded) as failure:
            is_of_network = isinstance(failure, UpstreamFailure) and failure.cause == "network"
            if is_of_network or not may_be_of_window(failure):
                raise
            if first:
                tell(failure.message)
            first = first or failure
    if first:
        raise first


def outcome_of(failure: UpstreamFailure | CollectionEnded) -> RunOutcome:
    return failure.outcome if isinstance(failure, CollectionEnded) else BY_UPSTREAM_FAILURE[failure.outcome]


@contextmanager
def saying_what_is_stored(stored: Callable[[], Message | None]) -> Iterator[None]:
    """Add to the message of a failure what the run stored in spite of it, if anything."""
    try:
        yield
    except (UpstreamFailure, CollectionEnded) as failure:
        rest = stored()
        if rest is None:
            raise
        message = Message("failed_in_part", why=failure.message, rest=rest)
        raise CollectionEnded(outcome_of(failure), message) from failure
