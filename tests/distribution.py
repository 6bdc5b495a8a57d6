"""The distribution of tests to the processes of a run (`-n 3`): by file, and the tests of pages in two halves."""

from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

BROWSER = "tests/browser/"
# Each half starts a browser and an instance of its own. They take about as long as each other.
HALVES = (BROWSER + "[a-i]", BROWSER + "[j-z]")
# The slowest tests, which begin first: the tests of pages, and files whose tests start processes.
LONG = (
    *HALVES,
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
)


class ByFile(LoadScopeScheduling):  # type: ignore[misc]  # xdist has no types
    """Sends the tests of a file to one process, so that its fixtures are created once.

    The tests of pages go to two processes, or to one of a run that leaves tests out: only these start a browser.
    """

    def __init__(self, config: pytest.Config, log: Any = None) -> None:
        # The order is that of the collection, sorted by `longest_first`.
        config.option.loadscopereorder = False
        # `make test` has few tests of pages: a second browser and instance would take longer than half of them.
        self._is_short = bool(config.option.markexpr)
        super().__init__(config, log)

    def _split_scope(self, nodeid: str) -> str:
        place = place_of(nodeid)
        return BROWSER if self._is_short and place in HALVES else place


def place_of(nodeid: str) -> str:
    """The file of a test, or its half of the tests of pages."""
    if nodeid.startswith(BROWSER):
        return HALVES[nodeid >= BROWSER + "test_j"]
    return nodeid.partition("::")[0]


def longest_first(items: list[pytest.Item]) -> None:
    """Begin with the slowest tests; the others keep their random order."""
    rank = {name: place for place, name in enumerate(LONG)}
    items.sort(key=lambda item: rank.get(place_of(item.nodeid), len(rank)))
