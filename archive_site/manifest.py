"""What the archive of an account is, at a glance (specification 4.2)."""

from typing import Any

from django.conf import settings
from django.db import connection

from accounts import credential
from accounts.models import User
from archive_site import __version__
from archive_site.lib import clock
from collection import runs
from usage import queries, version
from usage.queries import Figures, Filters

SCHEMA = 4


def manifest(user: User) -> dict[str, Any]:
    """Totals, months and health of the account's archive; `sources` for administrators only.

    `generated` is the moment at which the account's data changed last, or now where it never did.
    """
    figures = queries.figures(user.pk, Filters())
    answer = {
        "schema": SCHEMA,
        "generated": clock.local_text(version.changed_at(user.pk) or clock.now()),
        "archive": settings.ARCHIVE_NAME,
        "producer": f"usage-archive {__version__}",
        "note": f"Times are of the zone {settings.TIME_ZONE}.",
        "totals": figures.totals(),
        "months": queries.months(user.pk),
        "focusDay": figures.last,
        "health": _health(user.pk),
        "role": user.role,
    }
    return {**answer, "sources": [_store(figures)]} if user.is_admin else answer


def _health(user_id: int) -> dict[str, Any]:
    last = runs.of_account(user_id).defer("detail").first()
    return {
        "cookie": credential.state(user_id).usable,
        "lastRunAt": clock.local_text(last.started_at or last.created_at) if last else None,
        "lastRunStatus": last.status if last else None,
    }


def _store(figures: Figures) -> dict[str, Any]:
    name = str(settings.DATABASES["default"]["NAME"])
    return {"path": name, "role": "store", "count": figures.calls, "bytes": _bytes()}


def _bytes() -> int:
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            cursor.execute("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size")
        else:
            cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])
