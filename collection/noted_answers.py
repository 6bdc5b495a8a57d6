"""What the source answered to a credential in a test, or to a cookie beside a token.

The outcome alone is kept, in the counters, under a keyed hash of what was asked with
(docs/decisions/pages.md#the-last-answer-to-a-credential).
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.core.cache import caches

from accounts import config
from accounts.credentials import credential
from archive_site.lib import clock

# What concerns the credential; a network that fails says nothing about it.
OUTCOMES = ("fine", "expired", "wrong_host", "user_agent_refused", "cookie_too_large")
_KEPT = timedelta(days=60)


@dataclass(frozen=True)
class LastAnswer:
    outcome: str
    at: datetime


def note(fingerprint: str, outcome: str) -> None:
    """Keep the outcome of asking with the credential of this fingerprint, whether it is stored already or will be."""
    if outcome in OUTCOMES:
        moment = int(clock.now().timestamp())
        value = moment * len(OUTCOMES) + OUTCOMES.index(outcome)
        caches["counters"].set(_key(fingerprint), value, _KEPT.total_seconds())


def note_cookie(fingerprint: str, *, is_refused: bool) -> bool:
    """Keep what a run learned of a cookie beside which there is a token; gives whether it is refused for the first
    time."""
    before = _noted(fingerprint)
    note(fingerprint, "expired" if is_refused else "fine")
    return is_refused and (before is None or before.outcome == "fine")


def noted(archive_id: int) -> LastAnswer | None:
    """The last outcome that was kept for the stored credential."""
    try:
        return _noted(credential.stored_fingerprint(archive_id, config.user_agent(archive_id)))
    except (credential.NoCredential, credential.BrokenCredential):
        return None


def _noted(fingerprint: str) -> LastAnswer | None:
    value = caches["counters"].get(_key(fingerprint))
    if value is None:
        return None
    moment, place = divmod(int(value), len(OUTCOMES))
    return LastAnswer(OUTCOMES[place], datetime.fromtimestamp(moment, UTC))


def _key(fingerprint: str) -> str:
    return f"credential-answer:{fingerprint}"
