"""The places of files that are received: four of accounts and two of strangers (docs/decisions/web.md#slow-clients).

Each takes disk space, and then a thread. Only the headers say who sends a file, since its body is not read yet.
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


class Uploads:
    """The places of both kinds."""

    def __init__(self) -> None:
        self._kinds = {True: Places(OF_ACCOUNTS), False: Places(OF_STRANGERS)}

    def take(self, holder: object, source: str, *, is_of_account: bool) -> bool:
        """Take a place of the kind, or keep one; False if none is free."""
        return self._kinds[is_of_account].take(holder, source)

    def free(self, holder: object) -> None:
        for places in self._kinds.values():
            places.free(holder)

    def taken(self, *, is_of_account: bool) -> int:
        return self._kinds[is_of_account].taken


class Question:
    """Asks the store in a thread whether a claim is true, as the main loop must not wait; a task of waitress."""

    def __init__(self, claim: Claim, answer: Callable[[bool], None]) -> None:
        self._claim = claim
        self._answer = answer

    def service(self) -> None:
        is_true = False
        close_old_connections()
        try:
            is_true = self._claim.is_true()
        except DatabaseError as error:
            seldom_log.warn(log, "claims", "a file is received as that of a stranger: %s", error)
        finally:
            close_old_connections()
            self._answer(is_true)

    def cancel(self) -> None:
        """The server stops, and closes the connection."""
