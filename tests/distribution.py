"""The distribution of tests to the processes of a run (`-n 3`): by file, the slowest first."""

from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

BROWSER = "tests/browser/"
# The slowest tests, which begin first: the tests of pages, and files whose tests start processes.
LONG = (
    BROWSER,
    "tests/archive_site/test_up.py",
    "tests/backups/test_killed_restore.py",
    "tests/collection/test_collect_command.py",
    "tests/backups/test_restore_refused.py",
    "tests/backups/test_switch_of_postgres.py",
    "tests/backups/test_restore_command.py",
    "tests/backups/test_move_between_engines.py",
    "tests/nodes/test_keys.py",
    "tests/nodes/test_runs.py",
    "tests/collection/test_kill.py",
    "tests/collection/test_maintenance_command.py",
    "tests/collection/test_background.py",
    "tests/collection/test_queued_runs_one_at_a_time.py",
    "tests/collection/test_stop_of_up.py",
    "tests/archive_site/test_data_folder.py",
    "tests/archive_site/test_child_processes.py",
    "tests/archive_site/test_supervisor.py",
    "tests/collection/test_full_disk.py",
    "tests/test_translations.py",
    "tests/test_isolation.py",
)


class ByFile(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """Sends the tests of a file to one process, so that its fixtures are created once."""

    def __init__(self, config: pytest.Config, log: Any = None) -> None:
        # The order is that of the collection, sorted by `longest_first`.
        config.option.loadscopereorder = False
        # The fast tests have few of pages: a second browser and instance would take longer than half of these.
        self._has_few_pages = "not landing" in config.option.markexpr
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        if self._has_few_pages and nodeid.startswith(BROWSER):
            return BROWSER
        return nodeid.partition("::")[0]


def longest_first(items: list[pytest.Item]) -> None:
    """Begin with the slowest tests; the others keep their random order."""

    def rank(item: pytest.Item) -> int:
        return next((place for place, name in enumerate(LONG) if item.nodeid.startswith(name)), len(LONG))

    items.sort(key=rank)
