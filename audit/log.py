"""Writing to the audit log, in the transaction of the change (docs/decisions.md#one-transaction-with-the-change)."""

from dataclasses import dataclass

from archive_site.lib import clock
from archive_site.lib.i18n import english
from archive_site.lib.locks import write_freeze
from archive_site.lib.stored_message import Message, shortened
from audit.models import Entry
from audit.redaction import redacted, redacted_message, redacted_name

DETAIL_LIMIT = 2000


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


def record(action: str, *, actor: str, user_id: int | None, ip: str = "", detail: Message | str = "") -> None:
    """Add one entry. `detail` is a message, or a text that is the same in all languages, such as the name of a file.

    Anything in it that looks like a secret is masked, and it is cut at 2,000 characters. Raises ApiError 503 while a
    restore replaces the store, so that no change happens without its entry.
    """
    kept = Detail.of(detail)
    with write_freeze.writing():
        Entry.objects.create(
            at=clock.now(),
            actor=actor[:64],
            action=action,
            stored_detail=kept.stored,
            search_text=kept.search_text,
            ip=ip,
            user_id=user_id,
        )
