"""What an account owns: given, counted, and deleted from the command line."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.db.models import Model, QuerySet

from accounts import credential
from accounts.actor import Actor
from accounts.models import Setting, User
from archive_site.lib import clock
from collection.models import Progress, Run
from tests.usage.record_factories import archive, call
from usage.budgets import stored_budgets
from usage.models import ROLLUPS, ROLLUPS_OF_MONTHS, Budget, DataVersion, Record, SavedView
from usage.rollups import month_sums

OWNED = (Record, *ROLLUPS, *ROLLUPS_OF_MONTHS, DataVersion, SavedView, Budget, Run, Progress, Setting)
COMMAND_LINE = Actor("command line", None)


def give_everything(user: User) -> None:
    """Records, prompts, sums, a view, a budget, a run, a mark, settings, a cookie and an export."""
    archive(user, *[call(f"r{number}", prompt="a prompt") for number in range(5)])
    SavedView.objects.create(user_id=user.pk, name="Free calls", query="free=1")
    stored_budgets.create(user.pk, {"period": "month", "credits": 100})
    month_sums.fill(user.pk)
    Run.objects.create(archive_id=user.pk, trigger="manual", status="ok", created_at=clock.now())
    Progress.objects.create(archive_id=user.pk, complete_through=clock.now())
    Setting.objects.create(user_id=user.pk, key="user_agent", value="agent", updated_at=clock.now())
    credential.store(user.pk, "session=marker")
    exports = exports_of(user)
    exports.mkdir(parents=True, exist_ok=True)
    (exports / "usage.csv").write_text("x")


def exports_of(user: User) -> Path:
    return Path(settings.DATA_FOLDER.exports) / str(user.pk)


def owned(user_id: int) -> list[int]:
    return [rows_of(model, user_id).count() for model in OWNED]


def rows_of(model: type[Model], owner_id: int) -> QuerySet[Any]:
    """The rows of a person, or of the archive of that id."""
    key = "archive_id" if hasattr(model, "archive_id") else "user_id"
    return model._default_manager.filter(**{key: owner_id})
