"""Writing to the audit log, in the transaction of the change.

The rules: docs/decisions/audit.md#one-transaction-with-the-change.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from django.db import DatabaseError, transaction
from django.db.models import QuerySet

from archive_site.lib import clock, stored_message
from archive_site.lib.i18n import english
from archive_site.lib.locks import write_freeze
from archive_site.lib.storage import disk_space
from archive_site.lib.storage.transaction_locks import take_lock
from archive_site.lib.stored_message import Message, shortened
from audit.models import Entry
from audit.redaction import redacted, redacted_message, redacted_name

log = logging.getLogger(__name__)

DETAIL_LIMIT = 2000
MOST_IN_HOUR = 300


@dataclass(frozen=True)
class Detail:
    """The detail of an entry as it is stored, and its English text."""

    stored: str
    search_text: str

    @classmethod
    def of(cls, detail: Message | str) -> "Detail":
        """The detail without anything that looks like a secret, cut at 2,000 characters of text."""
        kept = redacted_message(detail) if isinstance(detail, Message) else _redacted_text(detail)
        if isinstance(kept, Message):
            message = shortened(kept, DETAIL_LIMIT)
            return cls(message.stored(), english(message))
        return cls(kept[:DETAIL_LIMIT], kept[:DETAIL_LIMIT])


def _redacted_text(text: str) -> str:
    # A single word is a name, such as that of a file.
    return redacted(text) if " " in text else redacted_name(text)


def record(action: str, *, actor: str, user_id: int | None, ip: str = "", detail: Message | str = "") -> int | None:
    """Add one entry and give its id.

    `detail` is a message, or a text that is the same in all languages, such as the name of a file. Anything in it that
    looks like a secret is masked, and it is cut at 2,000 characters. The 301st and later ones of an account and action
    in an hour are only counted, in one entry, and give None. Raises ApiError 503 while a restore replaces the store, so
    that no change happens without its entry.
    """
    now, actor = clock.now(), actor[:64]
    source = {"action": action, "user_id": user_id} | ({"actor": actor, "ip": ip} if user_id is None else {})
    with write_freeze.writing(), transaction.atomic(savepoint=False):
        take_lock(f"audit {sorted(source.items())}")
        newest = Entry.objects.filter(**source).order_by("-pk")
        if _is_full(newest, now):
            if _count_another(newest, now):
                return None
            detail = _rest(1)
        kept = Detail.of(detail)
        entry = Entry.objects.create(
            at=now,
            actor=actor,
            action=action,
            stored_detail=kept.stored,
            search_text=kept.search_text,
            ip=ip,
            user_id=user_id,
        )
        return entry.pk


def record_if_room(action: str, *, actor: str, user_id: int | None, ip: str, detail: Message | str = "") -> None:
    """Add an entry about what changes nothing or makes room; where the disk is full, the log has it instead."""
    with lacking_if_full(action, actor=actor, user_id=user_id, ip=ip, detail=detail):
        record(action, actor=actor, user_id=user_id, ip=ip, detail=detail)


@contextmanager
def lacking_if_full(
    action: str, *, actor: str, user_id: int | None, ip: str, detail: Message | str = ""
) -> Iterator[None]:
    """Go on where the disk is full and the block could not write this entry; the log has it instead."""
    try:
        yield
    except DatabaseError as error:
        if not disk_space.is_full(error):
            raise
        what = english(detail) if isinstance(detail, Message) else detail
        who = f"account {user_id} ({actor}) at {ip}"
        log.warning("the disk is full, and the audit lacks %s by %s%s", action, who, f": {what}" if what else "")


def _is_full(newest: QuerySet[Entry], now: datetime) -> bool:
    """Whether as many entries as an hour may have were written in this hour."""
    last = newest.values_list("at", flat=True)[MOST_IN_HOUR - 1 : MOST_IN_HOUR].first()
    return last is not None and _hour_of(last) == _hour_of(now)


def _count_another(newest: QuerySet[Entry], now: datetime) -> bool:
    """Raise the count of the entry that counts the rest of this hour; False if there is none yet."""
    entry = newest.select_for_update()[:1].first()
    message = stored_message.read(entry.stored_detail) if entry else None
    if entry is None or message is None or message.code != "more_in_hour" or _hour_of(entry.at) != _hour_of(now):
        return False
    kept = Detail.of(_rest(int(str(message.values["count"])) + 1))
    Entry.objects.filter(pk=entry.pk).update(stored_detail=kept.stored, search_text=kept.search_text)
    return True


def _rest(count: int) -> Message:
    return Message("more_in_hour", count=count)


def _hour_of(moment: datetime) -> int:
    """The number of the hour that holds a moment."""
    return int(moment.timestamp()) // 3600
