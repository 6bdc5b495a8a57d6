"""Nodes of one instance: processes with folders of their own, on one PostgreSQL and Redis."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests import process_stores
from tests.archive_site.commands import manage
from tests.nodes.instance import Nodes


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose store has its tables, and was never used."""
    home = tmp_path_factory.mktemp("migrated") / "home"
    done = manage("migrate", home=home)
    assert done.returncode == 0, done.stderr
    return home


@pytest.fixture
def nodes(migrated: Path, tmp_path: Path, running_clock: None) -> Iterator[Nodes]:
    """An instance on a store that was never used, with no nodes yet."""
    store = process_stores.copy(migrated, tmp_path / "store")
    with ExitStack() as running:
        yield Nodes(tmp_path, store, running)
