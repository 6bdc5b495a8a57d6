"""The places of files that are received: four of accounts and two of strangers (docs/decisions/web.md#slow-clients).

Each takes disk space, and then a thread. Only the headers say who sends a file, since its body is not read yet. An
account holds two at most, from whatever addresses it sends.
"""

import logging
from collections.abc import Callable

from django.db import DatabaseError, close_old_connections

from accounts.claims import Claim
from archive_site.lib import seldom_log
from archive_site.serving.places import Places

log = logging.getLogger(__name__)

OF_ACCOUNTS = 4
OF_STRANGERS = 2
OF_AN_ACCOUNT = 2


class Uploads:
    """The places of both kinds."""

    def __init__(self) -> None:
        self._kinds = {True: Places(OF_ACCOUNTS), False: Places(OF_STRANGERS)}
        self._own = Places(OF_ACCOUNTS, OF_AN_ACCOUNT)

    def take(self, holder: object, source: str, account: int) -> bool:
        """Take a place of an account, or of a stranger for 0, or keep one; False if none is free."""
        if account and not self._own.take(holder, str(account)):
            return False
        is_taken = self._kinds[bool(account)].take(holder, source)
        if not is_taken:
            self._own.free(holder)
        return is_taken

    def free(self, holder: object) -> None:
        for places in (*self._kinds.values(), self._own):
            places.free(holder)

    def taken(self, *, is_of_account: bool) -> int:
        return self._kinds[is_of_account].taken


class Question:
    """Asks the store in a thread whose a claim is, as the main loop must not wait; a task of waitress. The answer is
    the account's id, 0 for a stranger."""

    def __init__(self, claim: Claim, answer: Callable[[int], None]) -> None:
        self._claim = claim
        self._answer = answer

    def service(self) -> None:
        account = 0
        close_old_connections()
        try:
            account = self._claim.account()
        except DatabaseError as error:
            seldom_log.warn(log, "claims", "a file is received as that of a stranger: %s", error)
        finally:
            close_old_connections()
            self._answer(account)

    def cancel(self) -> None:
        """The server stops, and closes the connection."""
