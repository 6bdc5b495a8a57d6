"""The look at the migrations at the start of a command."""

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from archive_site.lib import commands

pytestmark = pytest.mark.django_db
APPLIED = MigrationRecorder.Migration.objects


def test_a_store_with_all_migrations_loads_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(*arguments: object) -> None:
        raise AssertionError

    monkeypatch.setattr(commands, "MigrationExecutor", load)
    commands.migrate()


@pytest.mark.parametrize("app", ["usage", "auth", "django_q"])
def test_a_store_without_the_newest_migration_is_behind(app: str) -> None:
    newest = APPLIED.filter(app=app).order_by("name").last()
    assert newest
    newest.delete()
    assert commands.is_behind()


@pytest.mark.engine
def test_a_store_of_a_later_version_is_not_behind() -> None:
    # Tests of restores let the ids of tables begin again.
    APPLIED.create(id=10**6, app="usage", name="9999_of_a_later_version")
    assert not commands.is_behind()


def test_every_migration_that_django_finds_is_compared() -> None:
    loader = MigrationLoader(connection)
    assert loader.disk_migrations
    assert set(commands._migrations()) == set(loader.disk_migrations)
