"""What the source last answered to the credential of an account.

The rules: docs/decisions/pages.md#the-last-answer-to-a-credential.

Runs keep their outcomes. Of a test only the outcome is kept, in the counters, under a keyed hash of what was tested.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.core.cache import caches

from accounts import config, credential
from archive_site.lib import clock
from collection.runs import runs

# What concerns the credential; a network that fails says nothing about it.
OUTCOMES = ("fine", "expired", "wrong_host", "user_agent_refused", "cookie_too_large")
_KEPT = timedelta(days=60)
_BY_EXIT_CODE = {0: "fine", 4: "expired"}
# Enough to find an answer behind runs that failed otherwise.
_NEWEST = 20


@dataclass(frozen=True)
class LastAnswer:
    outcome: str
    at: datetime


def note_test(fingerprint: str, outcome: str) -> None:
    """Keep the outcome of a test of the credential with this fingerprint, whether it is stored already or will be."""
    if outcome in OUTCOMES:
        moment = int(clock.now().timestamp())
        value = moment * len(OUTCOMES) + OUTCOMES.index(outcome)
        caches["counters"].set(_key(fingerprint), value, _KEPT.total_seconds())


def last_answer(archive_id: int) -> LastAnswer | None:
    """The newest answer to the credential in force; None if there was none since it was set."""
    answers = [answer for answer in (_of_runs(archive_id), _of_tests(archive_id)) if answer]
    return max(answers, key=lambda answer: answer.at, default=None)


def _of_runs(archive_id: int) -> LastAnswer | None:
    changes = credential.changes(archive_id)
    if not changes:
        return None
    ended = runs.collections(archive_id).filter(exit_code__in=[0, 4, 5], started_at__gte=max(changes))
    for run in ended.only("exit_code", "stored_message", "started_at", "finished_at")[:_NEWEST]:
        outcome = _BY_EXIT_CODE.get(run.exit_code or 0, run.cause)
        at = run.finished_at or run.started_at
        if outcome in OUTCOMES and at:
            return LastAnswer(outcome, at)
    return None


def _of_tests(archive_id: int) -> LastAnswer | None:
    try:
        tested = credential.stored_fingerprint(archive_id, config.user_agent(archive_id))
    except (credential.NoCredential, credential.BrokenCredential):
        return None
    value = caches["counters"].get(_key(tested))
    if value is None:
        return None
    moment, place = divmod(int(value), len(OUTCOMES))
    return LastAnswer(OUTCOMES[place], datetime.fromtimestamp(moment, UTC))


def _key(fingerprint: str) -> str:
    return f"credential-answer:{fingerprint}"
