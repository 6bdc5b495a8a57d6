"""For how long an account keeps calls and prompts, and what its choice would erase (docs/api.md#retention)."""

from dataclasses import dataclass
from datetime import date, timedelta

from django.db import transaction
from django.db.models import Exists, F, Max, OuterRef, Sum

from accounts import archives
from archive_site.lib import clock
from archive_site.lib.storage.transaction_locks import lock_archive
from usage import horizon
from usage.data_version import raise_version
from usage.horizon import Horizon
from usage.models import DayTotal, ErasedSums, Retention
from usage.models import Horizon as Row

# About a hundred years.
MOST_DAYS = 36_500


@dataclass(frozen=True)
class Choice:
    """For how many days before today prompts and calls are kept; None: for ever."""

    prompts_days: int | None = None
    calls_days: int | None = None

    def moved(self, known: Horizon, day: date) -> Horizon:
        """Where the horizon of an archive moves on that day: never back."""
        return Horizon(
            max(known.calls_from, _first_day(self.calls_days, day)),
            max(known.prompts_from, _first_day(self.prompts_days, day)),
        )


@dataclass(frozen=True)
class Erased:
    """How many prompts and calls a choice would erase today, and the first day whose calls it keeps."""

    prompts: int
    calls: int
    first_kept_day: date | None


def of_account(user_id: int) -> Choice:
    """What the account has chosen; for ever without a choice."""
    row = Retention.objects.filter(user_id=user_id).first()
    return Choice(row.prompts_days, row.calls_days) if row else Choice()


def choose(user_id: int, choice: Choice) -> None:
    """Keep calls and prompts for so long from now on. What was erased stays erased.

    An owner who chooses believes the clock: a horizon after today, where one that ran ahead has moved it, is today, or
    the day after the last one whose calls it has passed: their sums are kept, and would count twice with the calls.
    """
    today = str(clock.today())
    days = {"prompts_days": choice.prompts_days, "calls_days": choice.calls_days}
    Retention.objects.update_or_create(user_id=user_id, defaults={**days, "seen_on": today, "leapt_to": ""})
    for archive_id in archives.of_account(user_id):
        if max(horizon.of_archive(archive_id)) > today:
            _set_back(archive_id, today)


def _set_back(archive_id: int, today: str) -> None:
    with transaction.atomic():
        lock_archive(archive_id)
        last = ErasedSums.objects.filter(archive_id=archive_id, day__lte=today).aggregate(last=Max("day"))["last"]
        calls = max(today, str(date.fromisoformat(last) + timedelta(days=1))) if last else today
        for name, day in (
            ("calls_from", calls),
            ("calls_gone", calls),
            ("prompts_from", today),
            ("prompts_gone", today),
        ):
            Row.objects.filter(archive_id=archive_id, **{f"{name}__gt": day}).update(**{name: day})
        raise_version(archive_id)


def forget(user_id: int) -> None:
    """Delete what a deleted account has chosen."""
    Retention.objects.filter(user_id=user_id).delete()


def horizon_of_account(user_id: int) -> Horizon:
    """The latest horizons of the archives of an account, of those from which something was erased."""
    erased = Row.objects.filter(archive_id__in=archives.of_account(user_id)).exclude(erased_at=None)
    sums = ErasedSums.objects.filter(archive_id=OuterRef("archive_id"))
    calls = erased.filter(Exists(sums)).aggregate(latest=Max("calls_from"))
    return Horizon(calls["latest"] or "", erased.aggregate(latest=Max("prompts_from"))["latest"] or "")


def preview(user_id: int, choice: Choice) -> Erased:
    """What the choice would erase now of all archives of the account, counted by the sums."""
    prompts = calls = 0
    for archive_id in archives.of_account(user_id):
        known = horizon.of_archive(archive_id)
        moved = choice.moved(known, clock.today())
        days = DayTotal.objects.filter(archive_id=archive_id)
        gone = days.filter(day__gte=known.calls_from, day__lt=moved.calls_from)
        calls += gone.aggregate(all=Sum("calls"))["all"] or 0
        bare = days.filter(day__gte=max(known), day__lt=max(moved))
        prompts += bare.aggregate(all=Sum(F("calls") - F("without_prompt")))["all"] or 0
    first = _first_day(choice.calls_days, clock.today())
    return Erased(prompts, calls, date.fromisoformat(first) if first else None)


def _first_day(days: int | None, day: date) -> str:
    """The first day that is kept, as an ISO text: that day and `days` days before it are. Empty where all are."""
    return "" if days is None else str(day - timedelta(days=days))
