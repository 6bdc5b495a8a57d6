"""What the file of a whole account holds: names, limits, and the form of a run (docs/api.md#export-of-the-account)."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from accounts import archives, config
from accounts.config import KEYS
from accounts.models import Archive, User
from collection.api_types import KEPT_BACK, PROFILE
from collection.models import Run
from usage.rates import Rate
from usage.saved_views import stored_views
from usage.source_traits import traits_for

FORMAT = "usage-archive-account"
# A file of one archive is one that earlier versions can read.
# So is one without bills, where there are several, and one without packages.
VERSION, VERSION_OF_SEVERAL, VERSION_WITH_BILLS, VERSION_WITH_PACKAGES = VERSIONS = (1, 2, 3, 4)
MANIFEST, RECORDS, RUNS, SETTINGS = "manifest.json", "records.jsonl", "runs.jsonl", "settings.json"
BILLS, PACKAGES = "bills.jsonl", "packages.jsonl"
MEMBERS = (RECORDS, RUNS, SETTINGS, MANIFEST)
# What says which archive one is.
ARCHIVE = ("kind", "unit", "label", "address", "file_format")
# Fields of a run that are kept as they are.
COUNTS = ("fetched", "added", "dup", "total", "conflicts")
TIMES = ("created_at", "started_at", "finished_at", "win_from", "win_to")
VIEW = ("name", "query")


def member_of(number: int, name: str) -> str:
    """The name of a member of an archive; the account's first one has the number 1."""
    return name if number == 1 else f"archives/{number}/{name}"


FURTHER = [
    PACKAGES,
    *(member_of(number, name) for number in range(2, archives.MOST + 1) for name in (RECORDS, RUNS, BILLS, PACKAGES)),
]


def archive_form(archive: Archive) -> dict[str, str]:
    """What says which further archive one is."""
    return {name: value for name in ARCHIVE if (value := getattr(archive, name))}


def filed_form(archive: Archive, further: Sequence[Archive], rate: Rate | None) -> dict[str, Any]:
    """What the manifest says of a further archive, also the number of the one whose days its bills prove."""
    numbers = {one.pk: number for number, one in enumerate(further, 2)}
    proved = numbers.get(archive.proves_id or 0)
    return {
        **archive_form(archive),
        **({"bills": True} if has_bills(archive) else {}),
        **({"proves": proved} if proved else {}),
        **rate_form(rate),
    }


def rate_form(rate: Rate | None) -> dict[str, dict[str, str]]:
    """What the manifest says of the rate of an archive."""
    return {"rate": {"amount": rate.text, "unit": rate.unit}} if rate else {}


def has_bills(archive: Archive) -> bool:
    """Whether an archive has bills instead of calls. Those beside calls come again from its source."""
    return traits_for(archive).bills_others


def run_form(run: Run) -> dict[str, Any]:
    """A run as the file holds it: messages as they are stored, times with their offset."""
    return {
        "kind": run.kind,
        "trigger": run.trigger,
        "is_ranged": run.is_ranged,
        "status": run.status,
        **{name: _moment(getattr(run, name)) for name in TIMES},
        "duration_ms": run.duration_ms,
        **{name: getattr(run, name) for name in COUNTS},
        "exit_code": run.exit_code,
        "message": run.stored_message,
        "detail": run.stored_detail,
    }


def settings_form(user: User) -> dict[str, Any]:
    """The settings, the profile and the saved views of an account, without the cookie and the User-Agent."""
    values = config.effective(archives.first_of(user.pk))
    return {
        "settings": {name: values[name] for name in KEYS if name not in KEPT_BACK},
        "profile": {name: getattr(user, name) for name in PROFILE},
        "views": [{name: getattr(view, name) for name in VIEW} for view in stored_views.views_of(user.pk)],
    }


def _moment(value: datetime | None) -> str | None:
    return value.isoformat() if value else None
