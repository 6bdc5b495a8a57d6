"""Migrations of a store file in a process of their own: docs/decisions/backups.md#the-snapshot-on-postgresql."""

import subprocess
import sys
from pathlib import Path

import pytest

from backups import offline_migration
from tests.backups.filled_instance import everything
from tests.concurrency import PROJECT
from tests.process_stores import environment

pytestmark = pytest.mark.postgres_only


def test_the_file_is_migrated(tmp_path: Path) -> None:
    offline_migration.migrate(tmp_path / "store.sqlite3")
    assert everything(tmp_path / "store.sqlite3")["accounts_user"] == []


def test_a_process_with_another_engine_refuses_and_starts_no_further_one(tmp_path: Path) -> None:
    """It would start a process itself, and that another one."""
    command = [sys.executable, "-m", "backups.offline_migration", str(tmp_path / "store.sqlite3"), "null"]
    variables = environment(tmp_path / "home", DJANGO_SETTINGS_MODULE="archive_site.settings")
    ended = subprocess.run(command, env=variables, cwd=PROJECT, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, "name another engine" in ended.stderr) == (1, True)
    assert not (tmp_path / "store.sqlite3").exists()
