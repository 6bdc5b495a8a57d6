"""Testing a credential: request one row from the upstream and explain the result (docs/api.md#credential-test).

A test stores no run, no record and no audit entry; `last_answer` keeps its outcome.
"""

from collections.abc import Mapping
from typing import TypeVar

from msgspec import UNSET, UnsetType, structs

from accounts import archives, config
from accounts.credentials import credential
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.http.minimum_interval import minimum_interval
from audit.known_secrets import guard_in_request, masked
from collection import noted_answers
from collection.api_types import FailingCredential, FineCredential, NewestCall
from collection.models import Run
from collection.runs import runs
from collection.runs.run_outcomes import BY_SOURCE_FAILURE
from collection.sources import kinds
from collection.sources.source import Page, SourceFailure
from usage.amounts.unit_of_archive import unit_of
from usage.amounts.units import Unit
from usage.record_payloads import number_of

Said = TypeVar("Said", FailingCredential, NewestCall)
INTERVAL = 10


def check(archive_id: int, body: Mapping[str, object]) -> FineCredential | FailingCredential:
    """Test the credential in `body`; what is missing there is taken from the stored one.

    Raises ApiError: 400 `invalid`, 409 `no_cookie` and `cookie_broken`, 429 `too_frequent`.
    """
    instance = config.instance_settings()
    try:
        trial = kinds.tried(archive_id, body, instance)
    except SourceFailure as failure:
        outcome = BY_SOURCE_FAILURE[failure.outcome]
        raise ApiError(outcome.http, outcome.error, str(failure.message)) from None
    with minimum_interval(f"credential-test:{archives.owner_of(archive_id)}", INTERVAL, failures_count=True):
        guard_in_request(trial.given)
        try:
            page = trial.ask()
        except SourceFailure as failure:
            has_worked = not trial.given and _has_worked(archive_id)
            answer = trial.diagnose(failure, has_worked=has_worked)
            noted_answers.note(trial.fingerprint, answer.outcome)
            return _masked(answer)
    noted_answers.note(trial.fingerprint, "fine")
    return FineCredential(True, "fine", trial.telling(page), _newest_call(page, unit_of(archive_id)))


def _has_worked(archive_id: int) -> bool:
    """Whether a collection succeeded with the stored cookie."""
    since = credential.set_at(archive_id)
    return (
        since is not None and runs.collections(archive_id).filter(status=Run.Status.OK, started_at__gt=since).exists()
    )


def _newest_call(page: Page, unit: Unit) -> NewestCall | UnsetType:
    """The newest call, if there is one that can be read."""
    if not page.records:
        return UNSET
    call = page.records[0]
    spent = number_of(unit, call.amount, call.measures)
    return _masked(NewestCall(call.ts, call.model, call.client, spent))


def _masked(answer: Said) -> Said:
    """The answer without the cookie, which the upstream may repeat."""
    texts = {name: masked(value) for name, value in structs.asdict(answer).items() if isinstance(value, str)}
    return structs.replace(answer, **texts)
