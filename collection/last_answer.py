"""What the source last answered to the credential of an account.

The rules: docs/decisions/pages.md#the-last-answer-to-a-credential.
"""

from collections.abc import Sequence
from datetime import datetime

from accounts import credential
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
    of_runs, of_tests = _of_runs(archive_id, [*changed.values()], token_set_at), noted(archive_id)
    if token_set_at:
        # A run may have used either.
        return of_tests or of_runs
    return max(filter(None, (of_runs, of_tests)), key=lambda answer: answer.at, default=None)


def cookie_is_refused(archive_id: int) -> bool:
    """Whether the source refused the cookie that stands beside a token."""
    last = last_answer(archive_id)
    return last is not None and last.outcome == "expired"


def _of_runs(archive_id: int, changes: Sequence[datetime], before: datetime | None) -> LastAnswer | None:
    """The answer in a run since the newest of these changes, and before an instant if one is given."""
    if not changes:
        return None
    ended = runs.collections(archive_id).filter(exit_code__in=[0, 4, 5], started_at__gte=max(changes))
    if before:
        ended = ended.filter(started_at__lt=before)
    for run in ended.only("exit_code", "stored_message", "started_at", "finished_at")[:_NEWEST]:
        outcome = _BY_EXIT_CODE.get(run.exit_code or 0, run.cause)
        at = run.finished_at or run.started_at
        if outcome in OUTCOMES and at:
            return LastAnswer(outcome, at)
    return None
