"""The budgets of an account: listed, made, changed and deleted."""

import json
from collections.abc import Mapping

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext

from archive_site.lib.storage.transaction_locks import take_lock
from usage.amounts.unit_of_archive import unit_of
from usage.amounts.units import Unit
from usage.incoming.values import number, text
from usage.models import NAME_MOST, Budget

MOST_BUDGETS = 50
MOST_THRESHOLDS = 10
DEFAULT_THRESHOLDS = (50, 80, 100)
LEAST_PERCENT, MOST_PERCENT = 1, 200
# 1e12 credits.
_MOST_PARTS = 10**18
_LAST_DAY = 31
NAMES = ("model", "client")


def budgets_of(archive_id: int) -> list[Budget]:
    """The budgets of an account in the order in which they were made."""
    return list(Budget.objects.filter(archive_id=archive_id).order_by("pk"))


def create(archive_id: int, given: Mapping[str, object]) -> Budget:
    """Store a budget. Raises ValidationError."""
    budget = _filled(Budget(archive_id=archive_id, thresholds=json.dumps(DEFAULT_THRESHOLDS)), given, is_new=True)
    with transaction.atomic():
        # Budgets are counted before one is stored.
        take_lock(f"budgets {archive_id}")
        if Budget.objects.filter(archive_id=archive_id).count() >= MOST_BUDGETS:
            raise ValidationError(gettext("An account can have at most %(most)s budgets.") % {"most": MOST_BUDGETS})
        budget.save()
    return budget


def change(archive_id: int, budget_id: int, given: Mapping[str, object]) -> Budget | None:
    """Change what is given of a budget; None where the account has no such budget. Raises ValidationError."""
    with transaction.atomic():
        take_lock(f"budgets {archive_id}")
        budget = Budget.objects.filter(archive_id=archive_id, pk=budget_id).first()
        if budget is None:
            return None
        _filled(budget, given, is_new=False).save()
    return budget


def delete(archive_id: int, budget_id: int) -> bool:
    """Delete a budget; whether the account had it."""
    deleted, _ = Budget.objects.filter(archive_id=archive_id, pk=budget_id).delete()
    return bool(deleted)


def take_over(old_id: int, heir_id: int) -> None:
    """Give an account the budgets of another, as far as there is room, in the caller's transaction."""
    room = max(0, MOST_BUDGETS - Budget.objects.filter(archive_id=heir_id).count())
    taken = list(Budget.objects.filter(archive_id=old_id).order_by("pk").values_list("pk", flat=True)[:room])
    Budget.objects.filter(pk__in=taken).update(archive_id=heir_id)
    Budget.objects.filter(archive_id=old_id).delete()


def thresholds_of(budget: Budget) -> list[int]:
    return list(map(int, json.loads(budget.thresholds)))


def _filled(budget: Budget, given: Mapping[str, object], *, is_new: bool) -> Budget:
    """The budget with the given values. Raises ValidationError, whose code is the name of the field."""
    if is_new or "period" in given:
        budget.period = _period(given.get("period"))
    if is_new or "credits" in given:
        budget.credits = _credits(given.get("credits"), unit_of(budget.archive_id))
    for name in NAMES:
        if name in given:
            setattr(budget, name, _name(name, given[name]))
    if "thresholds" in given:
        budget.thresholds = json.dumps(_thresholds(given["thresholds"]))
    if "first_day" in given:
        budget.first_day = _first_day(given["first_day"])
    return budget


def _period(value: object) -> str:
    if value not in Budget.Period.values:
        raise ValidationError(gettext("The period of a budget is 'day', 'week' or 'month'."), code="period")
    return str(value)


def _credits(value: object, unit: Unit) -> int:
    """The parts of the given amount, a number or its text."""
    found = number(value)
    if found is None or not unit.decimal(1) <= found <= _MOST_PARTS // unit.one:
        raise ValidationError(gettext("The credits of a budget are a number above 0."), code="credits")
    return unit.parts(found)


def _name(name: str, value: object) -> str:
    if not isinstance(value, str | None) or len(value or "") > NAME_MOST:
        raise ValidationError(
            gettext("'%(name)s' of a budget is a name of at most %(most)s characters.")
            % {"name": name, "most": NAME_MOST},
            code=name,
        )
    return text(value)


def _thresholds(value: object) -> list[int]:
    """Whole percents, sorted, each once."""
    if not isinstance(value, list) or len(value) > MOST_THRESHOLDS or not all(map(_is_percent, value)):
        raise ValidationError(
            gettext("Thresholds are a list of at most %(most)s whole percents from %(least)s to %(last)s.")
            % {"most": MOST_THRESHOLDS, "least": LEAST_PERCENT, "last": MOST_PERCENT},
            code="thresholds",
        )
    return sorted({int(percent) for percent in value})


def _is_percent(value: object) -> bool:
    return type(value) is int and LEAST_PERCENT <= value <= MOST_PERCENT


def _first_day(value: object) -> int:
    if type(value) is not int or not 1 <= value <= _LAST_DAY:
        raise ValidationError(gettext("The first day of a month is a number from 1 to 31."), code="first_day")
    return value
