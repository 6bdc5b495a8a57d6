"""What a run notes while it works under its lease, and whether it has to end."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from threading import Event

from django.db import transaction

from accounts import archives
from accounts.config import InstanceSettings
from accounts.models import User
from archive_site.lib.storage.sql import fetch
from archive_site.lib.stored_message import Message
from collection import account_guard, noted_answers
from collection.models import Run
from collection.runs import lease, runs
from collection.sources import kinds
from collection.sources.source import Source, Work
from usage.amounts.words_of_archive import words_of
from usage.data_version import raise_version

# Seconds after which a run ends where others wait for its place: the next one goes on from its mark.
LONGEST_BEFORE_OTHERS = 1800.0
# Others would begin anew.
_MAKE_ROOM = (Run.Kind.COLLECTION, Run.Kind.OLDER)
# Not with the ORM: it is asked before each request, and twice a second while one lasts.
_WHY_TO_STOP = f"""
    SELECT 'asked' FROM collection_run WHERE id = %s AND stop_requested
    UNION ALL SELECT 'disabled' FROM {User._meta.db_table} WHERE id = %s AND status = '{User.DISABLED}'"""  # noqa: S608 - constants


class RunProgress:
    """The journal of a run, shown as it grows, and the requests to stop the run.

    `stopped` is the message of a run that ends on such a request. While `is_account_known` is False, nothing tells
    whether the credential is of the account whose calls the archive has; while it `is_in_doubt`, none of them came
    where they should have. It `begins_anew` where what was known of the archive's days is forgotten.
    """

    def __init__(
        self, run: Run, token: str, journal: runs.Journal, stops: list[Event], show: Callable[[str], None]
    ) -> None:
        self.run = run
        self.token = token
        self.journal = journal
        self.stops = stops
        self.show = show
        self.words = words_of(run.archive_id)
        self._owner = archives.owner_of(run.archive_id)
        self._makes_room_at = time.monotonic() + LONGEST_BEFORE_OTHERS
        self.stopped = Message("stopped")
        self.begins_anew = False
        self._verdict = account_guard.RIGHT

    @contextmanager
    def source(self, instance: InstanceSettings) -> Iterator[Source]:
        """The source of the archive, which ends on a request to stop, and whose waits the journal shows.

        Raises SourceFailure where its credential is missing, cannot be read, or is of another account.
        """
        archive_id, first, last = self.run.archive_id, self.run.win_from, self.run.win_to
        with kinds.opened(archive_id, instance, Work(self.should_stop, self.tell_now)) as source:
            answer = source.first_answer
            if answer and noted_answers.note_cookie(answer.fingerprint, is_refused=answer.is_refused):
                with transaction.atomic():
                    runs.note_refusal(self.run)
            require = partial(lease.require, self.token)
            span = (first, last) if first and last else None
            self._verdict = account_guard.require_same(archive_id, source, require, span)
            self.begins_anew = self._verdict.begins_anew
            yield source

    @property
    def is_account_known(self) -> bool:
        return self._verdict.confirm is not None

    @property
    def is_in_doubt(self) -> bool:
        return self._verdict.judge is not None or self._verdict.is_missing

    def confirm_account(self) -> None:
        """Note whose calls the archive has, once something of this run is stored."""
        if self._verdict.confirm:
            self._verdict.confirm()
            self._verdict = account_guard.RIGHT

    def know_account(self) -> None:
        """Something that came is of the archive's account."""
        self._verdict.know()
        self._verdict = account_guard.RIGHT

    def require_own(self, ids: list[str]) -> None:
        """Look whether calls that came are of the archive's account, where that is in doubt.

        Raises SourceFailure where they are of another one.
        """
        if ids and self._verdict.judge:
            self._verdict = account_guard.Verdict(self._verdict.judge(ids))

    def should_stop(self) -> bool:
        if any(stop.is_set() for stop in self.stops):
            return True
        reasons = {why for (why,) in fetch(_WHY_TO_STOP, [self.run.pk, self._owner])}
        # An operator's command reads also for an account that is disabled.
        if "disabled" in reasons and self.run.trigger != Run.Trigger.CLI:
            self.stopped = Message("owner_gone")
            return True
        return "asked" in reasons or self._makes_room()

    def _makes_room(self) -> bool:
        may = self.run.kind in _MAKE_ROOM and time.monotonic() >= self._makes_room_at
        if not (may and lease.is_awaited(self.run.pk, _MAKE_ROOM)):
            return False
        is_older = self.run.kind == Run.Kind.OLDER
        self.stopped = Message("older_made_room") if is_older else Message("made_room")
        return True

    def tell(self, line: Message) -> None:
        self.show(self.journal.note(line.said_of(**self.words)))

    def tell_now(self, line: Message) -> None:
        """Note a line and write it at once, so that it shows during a wait."""
        self.tell(line)
        with transaction.atomic():
            lease.require(self.token)
            self.journal.write()
            raise_version(self.run.archive_id)
