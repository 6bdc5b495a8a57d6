"""The outcomes of a run, with their error codes, HTTP status and exit codes (docs/api.md#collect)."""

from dataclasses import dataclass

from archive_site.lib.stored_message import Message
from collection.models import Run


@dataclass(frozen=True)
class RunOutcome:
    """One outcome: the error code of the API (empty for success), HTTP status, exit code and status of the run."""

    error: str
    http: int
    exit_code: int
    status: Run.Status


OK = RunOutcome("", 200, 0, Run.Status.OK)
INTERNAL = RunOutcome("internal", 500, 1, Run.Status.FAILED)
NO_COOKIE = RunOutcome("no_cookie", 409, 2, Run.Status.FAILED)
COOKIE_BROKEN = RunOutcome("cookie_broken", 409, 3, Run.Status.FAILED)
COOKIE_EXPIRED = RunOutcome("cookie_expired", 401, 4, Run.Status.FAILED)
API = RunOutcome("api", 502, 5, Run.Status.FAILED)
INTERRUPTED = RunOutcome("interrupted", 409, 6, Run.Status.INTERRUPTED)
ACCOUNT_FULL = RunOutcome("account_full", 507, 7, Run.Status.FAILED)

ALL = (OK, INTERNAL, NO_COOKIE, COOKIE_BROKEN, COOKIE_EXPIRED, API, INTERRUPTED, ACCOUNT_FULL)
# The error code of each outcome by its exit code.
ERRORS: dict[int | None, str] = {one.exit_code: one.error for one in ALL}
BY_SOURCE_FAILURE = {"missing": NO_COOKIE, "broken": COOKIE_BROKEN, "refused": COOKIE_EXPIRED, "api": API}


class CollectionEnded(Exception):
    """Ends a run with an outcome and a message for the account's owner, which contains no secret."""

    def __init__(self, outcome: RunOutcome, message: Message):
        super().__init__(message)
        self.outcome = outcome
        self.message = message
