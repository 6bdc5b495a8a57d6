"""How a collection can end, and what each way is called in runs, answers and exit codes (specification 4.3, 7)."""

from dataclasses import dataclass

from collection.models import Run


@dataclass(frozen=True)
class Outcome:
    """One way to end: the error code of the API (empty for success), HTTP status, exit code and status of the run."""

    error: str
    http: int
    exit_code: int
    status: Run.Status


OK = Outcome("", 200, 0, Run.Status.OK)
INTERNAL = Outcome("internal", 500, 1, Run.Status.FAILED)
NO_COOKIE = Outcome("no_cookie", 409, 2, Run.Status.FAILED)
COOKIE_BROKEN = Outcome("cookie_broken", 409, 3, Run.Status.FAILED)
COOKIE_EXPIRED = Outcome("cookie_expired", 401, 4, Run.Status.FAILED)
API = Outcome("api", 502, 5, Run.Status.FAILED)
INTERRUPTED = Outcome("interrupted", 409, 6, Run.Status.INTERRUPTED)

BY_UPSTREAM_FAILURE = {"cookie_expired": COOKIE_EXPIRED, "api": API}


class CollectionEnded(Exception):
    """A run ends here, with this outcome and a sentence for the account's owner that holds no secret."""

    def __init__(self, outcome: Outcome, message: str):
        super().__init__(message)
        self.outcome = outcome
        self.message = message
