"""An empty backup folder and a plain store for each test, and a clock that tests set."""

import shutil
from collections.abc import Iterator

import pytest
from django.conf import settings
from django.db import connection

from archive_site.lib import clock
from tests.backups.filled_instance import live, log_of
from tests.collection.collector_run import SetClock
from tests.collection.conftest import instance as instance


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> SetClock:
    """The time of the archive; stands still but for `pass_by`."""
    clock_of_test = SetClock()
    monkeypatch.setattr(clock, "now", lambda: clock_of_test.now)
    return clock_of_test


@pytest.fixture(autouse=True)
def empty_shelf() -> Iterator[None]:
    """No test finds the backups of another one."""
    _empty()
    yield
    _empty()


@pytest.fixture(autouse=True)
def plain_store() -> Iterator[None]:
    """After a test with a restore the store is a link; the next test gets a plain file."""
    yield
    if live().is_symlink():
        connection.close()
        assert not log_of(live()).exists(), "somebody has it open still"
        live().resolve().replace(live())


def _empty() -> None:
    for path in settings.DATA_FOLDER.backups.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
