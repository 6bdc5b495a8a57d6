"""What the source last answered to the credential of an account.

The rules: docs/decisions/pages.md#the-last-answer-to-a-credential.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from accounts.credentials import credential
from collection.noted_answers import OUTCOMES, LastAnswer, noted
from collection.runs import runs

_BY_EXIT_CODE = {0: "fine", 4: "expired"}
# Enough to find an answer behind runs that failed otherwise.
_NEWEST = 20


def last_answer(archive_id: int) -> LastAnswer | None:
    """The newest answer to the credential in force; None if there was none since it was set. Beside a token it is that
    to the cookie."""
    changed = credential.changes_by_key(archive_id)
    token_set_at = changed.pop(credential.TOKEN, None) if credential.KEY in changed else None
    if token_set_at and credential.states(archive_id)[1].broken:
        # The cookie is asked alone.
        token_set_at = None
    of_tests, run = noted(archive_id), _newest_run(archive_id, [*changed.values()], token_set_at)
    # A run beside a token notes what it learned of the cookie, and goes on with either; the token may be gone since.
    if run is None or (of_tests and (token_set_at or run.begun_at.replace(microsecond=0) <= of_tests.at)):
        return of_tests
    return run.answer


def cookie_is_refused(archive_id: int) -> bool:
    """Whether the source refused the cookie that stands beside a token."""
    last = last_answer(archive_id)
    return last is not None and last.outcome == "expired"


class _Run(NamedTuple):
    begun_at: datetime
    answer: LastAnswer


def _newest_run(archive_id: int, changes: Sequence[datetime], before: datetime | None) -> _Run | None:
    """The newest run with an answer since these changes, and before an instant if one is given."""
    if not changes:
        return None
    ended = runs.collections(archive_id).filter(exit_code__in=[0, 4, 5], started_at__gte=max(changes))
    if before:
        ended = ended.filter(started_at__lt=before)
    for run in ended.only("exit_code", "stored_message", "started_at", "finished_at")[:_NEWEST]:
        outcome = _BY_EXIT_CODE.get(run.exit_code or 0, run.cause)
        if outcome in OUTCOMES and run.started_at:
            return _Run(run.started_at, LastAnswer(outcome, run.finished_at or run.started_at))
    return None
