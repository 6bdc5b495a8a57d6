"""The manifest of an account's archive: docs/api.md#manifest."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings

from accounts import config, credential
from accounts.models import User
from archive_site import __version__
from archive_site.lib import clock
from archive_site.lib.http.answer_types import as_json
from archive_site.lib.http.parameters import Days
from archive_site.lib.storage.store_size import store_bytes
from collection import runs
from usage import data_version
from usage.coverage import day_states
from usage.filters import RecordFilters
from usage.rollups import read_sums
from usage.rollups.figures import figures as figures_of

SCHEMA = 4


@dataclass(frozen=True)
class Beyond:
    """What a manifest depends on beside the data version; `path` and `bytes` for administrators only."""

    archive: str
    has_cookie: bool
    wants_prompts: bool
    path: str | None = None
    bytes: int | None = None


def beyond_the_data(user: User) -> Beyond:
    has_cookie = credential.state(user.pk).usable
    wants_prompts = config.wants_prompts()
    if not user.is_admin:
        return Beyond(settings.ARCHIVE_NAME, has_cookie, wants_prompts)
    return Beyond(
        settings.ARCHIVE_NAME, has_cookie, wants_prompts, str(settings.DATABASES["default"]["NAME"]), store_bytes()
    )


def manifest(user: User, beyond: Beyond) -> dict[str, Any]:
    """Totals, months and health of the account's archive; `sources` for administrators only.

    `generated` is when the account's data last changed, or now if it never did.
    """
    figures = figures_of(user.pk, RecordFilters())
    answer = {
        "schema": SCHEMA,
        "generated": clock.local_text(data_version.changed_at(user.pk) or clock.now()),
        "archive": beyond.archive,
        "producer": f"usage-archive {__version__}",
        "note": f"Times are of the zone {settings.TIME_ZONE}.",
        "totals": as_json(figures.totals()),
        "months": read_sums.months(user.pk),
        "focusDay": figures.last,
        "coverage": day_states.ledger(user.pk, Days(), wants_prompts=beyond.wants_prompts).counts(),
        "health": {"cookie": beyond.has_cookie, **_last_run(user.pk)},
        "role": user.role,
    }
    if not user.is_admin:
        return answer
    source = {"path": beyond.path, "role": "store", "count": figures.calls, "bytes": beyond.bytes}
    return {**answer, "sources": [source]}


def _last_run(user_id: int) -> dict[str, Any]:
    last = runs.collections(user_id).values_list("started_at", "created_at", "status").first()
    started_at, created_at, status = last or (None, None, None)
    return {"lastRunAt": clock.local_text(started_at or created_at), "lastRunStatus": status}
