"""The recount compares rollups with the records and repairs them.

The rules: docs/decisions/records.md#rollups-are-recomputed-not-incremented.
"""

import json
from importlib import import_module
from typing import Any
from unittest.mock import patch

import pytest
from django.db.models import F

from accounts.models import User
from archive_site.lib.storage import write_parts
from tests.usage.record_factories import archive, call, counted_rollups, kept_rollups, rows_of
from usage.models import (
    ROLLUPS,
    DataVersion,
    DayClient,
    DayGroup,
    DayHour,
    DayModel,
    DayPurpose,
    DayPurposeGroup,
    DayPurposeHour,
    DayTotal,
)
from usage.rollups import recompute as rollup
from usage.rollups.recompute import Recount

pytestmark = pytest.mark.django_db


@pytest.fixture
def archived(alice: User) -> User:
    archive(
        alice,
        call("a", credits=0),
        call("b", credits=0.1),
        call("c", credits=0.2, ts="2026-09-07 13:00:00", agent_purpose="chat"),
        call("d", model="kimi", ts="2026-09-08 00:00:00"),
    )
    return alice


def test_a_rollup_holds_credits_calls_and_free_calls(archived: User) -> None:
    assert kept_rollups(archived.pk) == (
        [("2026-09-07", "glm", "ide", 300_000, 3, 1), ("2026-09-08", "kimi", "ide", 1_500_000, 1, 0)],
        [("2026-09-07", 12, 100_000, 2, 1), ("2026-09-07", 13, 200_000, 1, 0), ("2026-09-08", 0, 1_500_000, 1, 0)],
        [
            ("2026-09-07", "glm", "ide", "", 100_000, 2, 1),
            ("2026-09-07", "glm", "ide", "chat", 200_000, 1, 0),
            ("2026-09-08", "kimi", "ide", "", 1_500_000, 1, 0),
        ],
        [
            ("2026-09-07", 12, "", 100_000, 2, 1),
            ("2026-09-07", 13, "chat", 200_000, 1, 0),
            ("2026-09-08", 0, "", 1_500_000, 1, 0),
        ],
        [
            ("2026-09-07", "", 100_000, 2, 1),
            ("2026-09-07", "chat", 200_000, 1, 0),
            ("2026-09-08", "", 1_500_000, 1, 0),
        ],
        [(4000,)],
    )


def test_the_coarse_rollups_hold_what_the_fine_ones_do(archived: User) -> None:
    figures = ("credits", "calls", "free")
    assert set(DayModel.objects.values_list("day", "model", *figures)) == {
        ("2026-09-07", "glm", 300_000, 3, 1),
        ("2026-09-08", "kimi", 1_500_000, 1, 0),
    }
    assert set(DayClient.objects.values_list("day", "client", *figures)) == {
        ("2026-09-07", "ide", 300_000, 3, 1),
        ("2026-09-08", "ide", 1_500_000, 1, 0),
    }
    days = {day: rest for day, *rest in DayTotal.objects.values_list("day", *figures, "by_model", "by_hour")}
    hours = [0.0] * 24
    hours[12], hours[13] = 0.1, 0.2
    assert days["2026-09-07"][:3] == [300_000, 3, 1]
    assert json.loads(days["2026-09-07"][3]) == {"glm": 0.3}
    assert json.loads(days["2026-09-07"][4]) == hours
    assert days["2026-09-08"][:3] == [1_500_000, 1, 0]


def test_a_day_that_loses_its_last_record_is_gone_from_all_of_them(archived: User) -> None:
    archive(archived, call("d", model="kimi", ts="2026-09-09 00:00:00"))
    for rollup_table in ROLLUPS:
        assert not rollup_table.objects.filter(day="2026-09-08").exists()
        assert rollup_table.objects.filter(day="2026-09-09").exists()


def test_a_sound_rollup_is_left_alone(archived: User) -> None:
    assert rollup.recount(archived.pk) == Recount(records=4, repaired=0)


def test_an_empty_archive_counts_nothing(alice: User) -> None:
    assert rollup.recount(alice.pk) == Recount(records=0, repaired=0)


@pytest.mark.parametrize("figure", ["credits", "calls", "free"])
@pytest.mark.parametrize("spoiled", ROLLUPS)
def test_a_wrong_figure_is_repaired(archived: User, spoiled: type[Any], figure: str) -> None:
    spoiled.objects.filter(day="2026-09-08").update(**{figure: F(figure) + 1})
    assert rollup.recount(archived.pk) == Recount(records=4, repaired=1)
    assert kept_rollups(archived.pk) == counted_rollups(archived.pk)


@pytest.mark.parametrize("column", ["by_model", "by_hour"])
def test_a_wrong_text_of_a_day_is_repaired(archived: User, column: str) -> None:
    before = set(DayTotal.objects.values_list("day", "by_model", "by_hour"))
    DayTotal.objects.filter(day="2026-09-08").update(**{column: "{}"})
    assert rollup.recount(archived.pk) == Recount(records=4, repaired=1)
    assert set(DayTotal.objects.values_list("day", "by_model", "by_hour")) == before


@pytest.mark.parametrize("spoiled", ROLLUPS)
def test_missing_rows_are_made_again(archived: User, spoiled: type[Any]) -> None:
    gone = spoiled.objects.all().delete()[0]
    assert rollup.recount(archived.pk).repaired == gone
    assert kept_rollups(archived.pk) == counted_rollups(archived.pk)


def test_rows_without_records_are_removed(archived: User) -> None:
    figures = {"credits": 1, "calls": 1, "free": 0}
    DayGroup.objects.create(archive_id=archived.pk, day="2020-01-01", model="m", client="c", **figures)
    DayHour.objects.create(archive_id=archived.pk, day="2020-01-01", hour=3, **figures)
    DayPurpose.objects.create(archive_id=archived.pk, day="2020-01-02", agent_purpose="gone", **figures)
    DayPurposeGroup.objects.create(
        archive_id=archived.pk, day="2020-01-03", model="m", client="c", agent_purpose="gone", **figures
    )
    assert rollup.recount(archived.pk) == Recount(records=4, repaired=4)
    assert kept_rollups(archived.pk) == counted_rollups(archived.pk)


def test_a_recount_of_one_account_leaves_anothers_rollups_as_they_are(archived: User, bob: User) -> None:
    archive(bob, call("a"))
    DayGroup.objects.filter(archive_id=bob.pk).update(calls=99)
    assert rollup.recount(archived.pk).repaired == 0
    assert DayGroup.objects.get(archive_id=bob.pk).calls == 99


@pytest.mark.parametrize("spoiled", [True, False])
def test_only_a_recount_that_repairs_raises_the_data_version(archived: User, spoiled: bool) -> None:
    before = DataVersion.objects.get(archive_id=archived.pk).number
    if spoiled:
        DayGroup.objects.update(calls=99)
    rollup.recount(archived.pk)
    assert (DataVersion.objects.get(archive_id=archived.pk).number > before) == spoiled


@pytest.mark.parametrize("is_sound", [True, False])
def test_a_recount_locks_the_store_for_repairs_alone(archived: User, is_sound: bool) -> None:
    if not is_sound:
        DayGroup.objects.filter(day="2026-09-08").update(calls=99)
    with patch.object(write_parts, "_begin", wraps=write_parts._begin) as begin:
        rollup.recount(archived.pk)
    assert begin.call_count == (0 if is_sound else 1)


def test_a_recount_that_dies_leaves_whole_days(archived: User, monkeypatch: pytest.MonkeyPatch) -> None:
    DayGroup.objects.update(calls=99)
    DayModel.objects.update(calls=99)
    compute = rollup.compute_again

    def die_at_the_second(*arguments: Any) -> None:
        monkeypatch.setattr(rollup, "compute_again", _die)
        compute(*arguments)

    monkeypatch.setattr(rollup, "compute_again", die_at_the_second)
    with pytest.raises(InterruptedError):
        rollup.recount(archived.pk)
    wrong = [set(table.objects.filter(calls=99).values_list("day", flat=True)) for table in (DayGroup, DayModel)]
    assert wrong[0] == wrong[1]
    assert len(wrong[0]) == 1
    monkeypatch.undo()
    rollup.recount(archived.pk)
    assert kept_rollups(archived.pk) == counted_rollups(archived.pk)


def _die(*arguments: Any) -> None:
    raise InterruptedError


# The migration that added the sums by purpose.


def test_the_migration_fills_the_sums_by_purpose_of_every_archive(archived: User, bob: User) -> None:
    archive(bob, call("a", agent_purpose="plan"), call("b", model="kimi"))
    fill = import_module("usage.migrations.0007_purpose_sums").fill
    for rollup_table in (DayPurpose, DayPurposeGroup, DayPurposeHour):
        rollup_table.objects.all().delete()
    # A migration that died may run again.
    for _ in range(2):
        fill(None, None)
        for user in (archived, bob):
            assert kept_rollups(user.pk) == counted_rollups(user.pk)


@pytest.mark.sqlite_only
def test_the_migration_reads_an_index_in_its_order(archived: User) -> None:
    statement = import_module("usage.migrations.0007_purpose_sums")._FILL_GROUPS
    [step] = rows_of(f"EXPLAIN QUERY PLAN {statement}")
    assert step[3] == "SCAN usage_record USING COVERING INDEX record_by_group"
