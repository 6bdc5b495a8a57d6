"""What an account owns: given, counted, and deleted from the command line."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db.models import Model, QuerySet

from accounts.actor import Actor
from accounts.credentials import credential
from accounts.models import CookieLifetime, Setting, User
from archive_site.lib import clock
from collection.models import AccountOfArchive, Lease, Progress, Run
from tests.usage.record_factories import archive, call
from usage.budgets import stored_budgets
from usage.incoming.record import IncomingRecord
from usage.measures import Measures, Tokens
from usage.models import (
    BillDay,
    BillRead,
    CoverageDay,
    DayProof,
    ErasedSums,
    Horizon,
    LeftWindow,
    NodeFile,
    Order,
    Reach,
    RemovedRecord,
    SavedView,
    SpentReading,
)
from usage.packages import stored_packages
from usage.packages.package import Key, Kind, Packages, SeenPackage, State
from usage.rollups import month_sums
from usage.rollups.day_measures import FIGURES

# Rows of these are there only with several nodes, or while something runs.
_PASSING = (NodeFile, Lease)
_OF_ARCHIVES: list[type[Model]] = [
    model for model in apps.get_models() if hasattr(model, "archive_id") and model not in _PASSING
]
OWNED: tuple[type[Model], ...] = (SavedView, *_OF_ARCHIVES, CookieLifetime, Setting)
_FIGURES = ("credits", "free", *FIGURES)
# In a month whose sums are kept.
PAST = "2026-08-07 12:30:00"
COMMAND_LINE = Actor("command line", None)


def give_everything(user: User) -> None:
    """A view, everything of an archive, and an export."""
    SavedView.objects.create(user_id=user.pk, name="Free calls", query="free=1")
    give_archive(user.pk, [call(f"r{n}", ts=PAST, prompt="a prompt") for n in range(5)], "session=marker")
    exports = exports_of(user)
    exports.mkdir(parents=True, exist_ok=True)
    (exports / "usage.csv").write_text("x")


def give_archive(archive_id: int, calls: Sequence[IncomingRecord], cookie: str) -> None:
    """Records, prompts, measures, sums, also of an erased day, changes, a ledger of days, a budget, a run, a mark,
    settings and a cookie."""
    now = clock.now()
    archive(archive_id, *(replace(one, measures=Measures(tokens=Tokens(1, 2))) for one in calls))
    RemovedRecord.objects.create(archive_id=archive_id, number=1, request_id="removed")
    month_sums.fill(archive_id)
    Horizon.objects.create(archive_id=archive_id, calls_from="2026-07-02", calls_gone="2026-07-02")
    ErasedSums.objects.create(
        archive_id=archive_id, day="2026-07-01", hour=1, without_prompt=False, calls=1, **dict.fromkeys(_FIGURES, 0)
    )
    CoverageDay.objects.create(archive_id=archive_id, day="2026-09-07", upstream=5)
    BillRead.objects.create(archive_id=archive_id, day="2026-09-07", read_at=now, is_complete=True)
    BillDay.objects.create(archive_id=archive_id, day="2026-09-07", model="", what="calls", amount=5, within=0)
    SpentReading.objects.create(archive_id=archive_id, read_at=now, counter="c", spent=5, missing=0)
    DayProof.objects.create(
        archive_id=archive_id, day="2026-09-07", bill_id=archive_id, differences="[]", compared_at=now
    )
    Order.objects.create(archive_id=archive_id, order_id="o", paid_at=now, amount=1, currency="CNY", what="a package")
    package = SeenPackage(Key("pack"), "code", "A package", Kind.GIFT, 5, 5, 0, now, None, State.VALID)
    stored_packages.store(archive_id, Packages([package], (), 0, now))
    Reach.objects.create(archive_id=archive_id, first_day="2026-09-01")
    LeftWindow.objects.create(
        archive_id=archive_id, win_from=now, win_to=now, is_failed=True, is_unconfirmed=False, tries=1
    )
    stored_budgets.create(archive_id, {"period": "month", "credits": 100})
    Run.objects.create(archive_id=archive_id, trigger="manual", status="ok", created_at=now)
    Progress.objects.create(archive_id=archive_id, complete_through=now)
    AccountOfArchive.objects.create(archive_id=archive_id, confirmed="fingerprint")
    Setting.objects.create(user_id=archive_id, key="user_agent", value="agent", updated_at=now)
    credential.store(archive_id, cookie)


def exports_of(user: User) -> Path:
    return Path(settings.DATA_FOLDER.exports) / str(user.pk)


def owned(user_id: int) -> list[int]:
    return [rows_of(model, user_id).count() for model in OWNED]


def rows_of(model: type[Model], owner_id: int) -> QuerySet[Any]:
    """The rows of a person, or of the archive of that id."""
    key = "archive_id" if hasattr(model, "archive_id") else "user_id"
    return model._default_manager.filter(**{key: owner_id})
