"""Writing to the audit log. Call it inside the transaction that it records, where there is one (specification 6)."""

from archive_site.lib import clock
from archive_site.lib.locks import write_freeze
from audit.models import Entry
from audit.redaction import redacted

DETAIL_LIMIT = 2000


def record(action: str, *, actor: str, user_id: int | None, ip: str = "", detail: str = "") -> None:
    """Add one entry. `detail` holds no secret: what looks like one is masked, and it is cut at 2,000 characters.

    Raises ApiError 503 while a restore replaces the store: what nobody may know of is not done either.
    """
    text = redacted(detail)[:DETAIL_LIMIT]
    with write_freeze.writing():
        Entry.objects.create(at=clock.now(), actor=actor[:64], action=action, detail=text, ip=ip, user_id=user_id)
