"""The look at the migrations at the start of a command."""

import pytest
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from archive_site.lib.environment import ConfigurationError
from archive_site.lib.storage import store_version

pytestmark = pytest.mark.django_db
APPLIED = MigrationRecorder.Migration.objects


def test_a_store_with_all_migrations_loads_none(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(*arguments: object) -> None:
        raise AssertionError

    monkeypatch.setattr(store_version, "MigrationExecutor", load)
    store_version.migrate()


@pytest.mark.parametrize("app", ["usage", "auth", "django_q"])
def test_a_store_without_the_newest_migration_is_behind(app: str) -> None:
    newest = APPLIED.filter(app=app).order_by("name").last()
    assert newest
    newest.delete()
    assert store_version.is_behind()


@pytest.mark.parametrize("app", ["usage", "of_a_later_version"])
def test_a_store_of_a_later_version_is_refused_and_not_behind(app: str) -> None:
    # Tests of restores let the ids of tables begin again.
    APPLIED.create(id=10**6, app=app, name="9999_of_a_later_version")
    assert not store_version.is_behind()
    with pytest.raises(ConfigurationError, match="it is of a newer version of this service"):
        store_version.migrate()


def test_a_store_that_is_newer_and_behind_is_not_migrated() -> None:
    APPLIED.filter(app="usage").order_by("name").last().delete()  # type: ignore[union-attr]
    APPLIED.create(id=10**6, app="usage", name="9999_of_a_later_version")
    with pytest.raises(ConfigurationError):
        store_version.migrate()


def test_a_migration_that_an_upgrade_put_on_the_disk_is_not_one_of_this_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    store_version.migrate()
    APPLIED.create(id=10**6, app="usage", name="9999_of_a_later_version")
    monkeypatch.setattr(store_version, "_on_disk", lambda: [*APPLIED.values_list("app", "name")])
    assert store_version.is_newer()


def test_every_migration_that_django_finds_is_compared() -> None:
    loader = MigrationLoader(connection)
    assert loader.disk_migrations
    assert set(store_version._on_disk()) == set(loader.disk_migrations)
