"""Restoring a backup of before calls were erased (docs/decisions/records.md#retention)."""

from pathlib import Path

import pytest

from tests.backups.filled_instance import backed_up, restored, user
from tests.usage.record_factories import archive, kept_rollups, on
from tests.usage.retention.kept_archives import DAYS, KEPT_FROM, keep, sums
from usage.models import Horizon, Record
from usage.retention import choices, erasing
from usage.retention.choices import Choice
from usage.rollups import month_sums
from usage.rollups.recompute import recount

pytestmark = pytest.mark.django_db(transaction=True)


def old_calls() -> int:
    return Record.objects.filter(archive_id=user("alice").pk, day__lt=KEPT_FROM).count()


@pytest.mark.engine
def test_the_choice_of_a_backup_of_before_is_applied_again(settled: None) -> None:
    alice = user("alice")
    archive(alice, *(on(f"2026-08-{day:02}", f"old{day}") for day in range(1, 10)))
    choices.choose(alice.pk, Choice(calls_days=DAYS))
    before, path = sums(alice), backed_up()
    assert erasing.go_on()
    assert old_calls() == 0
    restored(path)
    assert old_calls() == 6
    assert erasing.go_on()
    assert old_calls() == 0
    assert sums(user("alice")) == before


@pytest.mark.engine
def test_a_backup_of_later_has_the_sums_and_the_horizon(settled: None, tmp_path: Path) -> None:
    alice = user("alice")
    archive(alice, *(on(f"2026-08-{day:02}", f"old{day}", model="a") for day in range(1, 10)))
    keep(alice, calls_days=DAYS)
    month_sums.fill(alice.pk)
    before, rollups = sums(alice), kept_rollups(alice.pk)
    restored(backed_up())
    # The hours of months, which are JSON, are computed again from what is kept of erased days.
    assert sums(user("alice")) == before
    month_sums.fill(alice.pk)
    assert sums(user("alice")) == before
    assert recount(alice.pk).repaired == 0
    assert kept_rollups(alice.pk) == rollups
    assert Horizon.objects.get(archive_id=alice.pk).calls_from == KEPT_FROM
    assert archive(alice, on("2026-08-06", "late")).too_old == 1
