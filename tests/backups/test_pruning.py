"""Pruning backups: which are kept (docs/decisions/backups.md#placing-and-pruning)."""

from datetime import UTC, datetime, timedelta

import pytest

from archive_site.lib import clock
from backups import pruning
from tests.backups.tiny_archives import broken, configure, kept, listed

AT = datetime(2026, 9, 8, 10, 0, 7, tzinfo=UTC)  # 12:00:07 in Berlin
HOUR = timedelta(hours=1)


@pytest.mark.django_db
def test_the_newest_are_kept_whatever_made_them() -> None:
    configure(backup_keep=3)
    paths = [kept(AT + number * HOUR, "auto" if number % 2 else "manual") for number in range(5)]
    assert pruning.prune() == [paths[1].name, paths[0].name]
    assert listed() == [path.name for path in paths[:1:-1]]


@pytest.mark.django_db
def test_those_before_a_restore_count_apart_and_three_are_kept() -> None:
    configure(backup_keep=1)
    apart = [kept(AT + number * HOUR, "pre_restore") for number in range(5)]
    ours = [kept(AT - number * HOUR) for number in range(2)]
    assert sorted(pruning.prune()) == sorted([ours[1].name, apart[0].name, apart[1].name])
    assert listed() == [*(path.name for path in apart[:1:-1]), ours[0].name]


@pytest.mark.django_db
def test_which_is_newest_the_manifests_say() -> None:
    configure(backup_keep=1)
    kept(AT, name="backup-20260908-130000-manual.zip")
    newest = kept(AT + HOUR, name="backup-20200101-000000-manual.zip")
    pruning.prune()
    assert listed() == [newest.name]


@pytest.mark.django_db
def test_what_cannot_be_read_stays_and_counts_as_none() -> None:
    configure(backup_keep=1)
    path, damaged = kept(AT), broken("backup-20270101-000000-manual.zip")
    assert pruning.prune() == []
    assert listed() == [damaged.name, path.name]


@pytest.mark.django_db
def test_after_a_restore_its_own_kind_is_pruned_alone_and_the_one_restored_is_spared() -> None:
    configure(backup_keep=1)
    others = [kept(AT + number * HOUR).name for number in range(2)]
    first, second, *newest = (kept(AT + number * HOUR, "pre_restore") for number in range(5))
    assert pruning.prune_pre_restore(sparing=first) == [second.name]
    assert set(listed()) == {*others, first.name, *(path.name for path in newest)}


@pytest.mark.django_db
def test_one_of_the_future_neither_goes_nor_outlives_the_others() -> None:
    configure(backup_keep=1)
    future = [
        kept(clock.now() + timedelta(days=days), trigger) for days in (1, 2) for trigger in ("auto", "pre_restore")
    ]
    old, new = kept(AT), kept(AT + HOUR)
    assert pruning.prune() == [old.name]
    assert set(listed()) == {new.name, *(path.name for path in future)}
