"""An empty backup folder and a plain store for each test, a clock that tests set, and what to restore."""

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from accounts.models import User
from backups.backup_manifest import STORE
from backups.restore import schema_load
from tests.backups.backup_files import made_store
from tests.backups.filled_instance import backed_up, begin_ids_again, live, log_of, settle_in
from tests.backups.forged_backups import Forge
from tests.backups.recorded_migrations import RecordedMigrations
from tests.collection.conftest import instance as instance
from tests.collection.conftest import time as time
from tests.factories import ApiClient


@pytest.fixture(autouse=True, scope="session")
def migrations_made_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(schema_load, "run_migrations", RecordedMigrations())
        yield


@pytest.fixture
def api(root: User) -> ApiClient:
    return ApiClient.signed_in(root)


@pytest.fixture
def own_key() -> Iterator[None]:
    """Restores replace the key; the other tests get theirs back."""
    kept = settings.DATA_FOLDER.instance_key.read_bytes()
    yield
    settings.DATA_FOLDER.instance_key.write_bytes(kept)


@pytest.fixture
def settled(own_key: None) -> None:
    begin_ids_again()
    settle_in()


@pytest.fixture
def backup(settled: None) -> Path:
    return backed_up()


@pytest.fixture
def forge(tmp_path: Path) -> Forge:
    return Forge(tmp_path, made_store(tmp_path / STORE))


@pytest.fixture(autouse=True)
def plain_store() -> Iterator[None]:
    """After a test with a restore the store is a link; the next test gets a plain file."""
    yield
    if live().is_symlink():
        connection.close()
        if log_of(live()).exists():
            # What threads of the test had open is closed once it is collected.
            gc.collect()
        assert not log_of(live()).exists(), "somebody has it open still"
        live().resolve().replace(live())
