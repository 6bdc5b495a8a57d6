"""A store that a newer version has migrated (docs/decisions/nodes.md#a-store-of-a-newer-version)."""

from pathlib import Path

import pytest
import requests

from tests import process_stores
from tests.archive_site.commands import is_one_line, manage, start, up, wait_until

NEWER = "INSERT INTO django_migrations (id, app, name, applied) VALUES (?, 'usage', '9999_later', '2026-01-01')"
REFUSED = "The store cannot be used: it is of a newer version of this service."
STOPPED = "The store is of a newer version now, so this node does not collect any more."


def make_newer(home: Path) -> None:
    """Do to the store of a folder what a newer version does at its start."""
    process_stores.sql(home, NEWER, [10**6])


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("command", [("up", "--bind", "127.0.0.1:1"), ("list_users",), ("replace_key", "--yes")])
def test_every_command_refuses_it_in_one_line(made_home: Path, command: tuple[str, ...]) -> None:
    make_newer(made_home)
    assert is_one_line(manage(*command, home=made_home), REFUSED, "docs/running.md#upgrading")


@pytest.mark.thorough
def test_an_instance_that_meets_it_says_so_and_stops_to_collect(made_home: Path) -> None:
    with up(made_home) as running:
        wait_until(lambda: requests.get(f"{running.url}/readyz", timeout=30).ok)
        make_newer(made_home)
        wait_until(lambda: running.said(STOPPED))
        wait_until(lambda: not running.runs("workers"))
        assert f"WARNING archive_site.serving.supervisor: {STOPPED}" in running.log()
        ready = requests.get(f"{running.url}/readyz", timeout=30)
        assert (ready.status_code, ready.json()["missing"]) == (503, ["version"])
        assert running.stop() == 0


@pytest.mark.thorough
def test_workers_alone_end_in_one_line(made_home: Path) -> None:
    process = start("up", "--no-web", home=made_home)
    assert process.stdout
    while "workers of" not in (line := process.stdout.readline()):
        assert line, "the workers did not start"
    make_newer(made_home)
    said, _ = process.communicate(timeout=60)
    assert (process.returncode, said.splitlines()[-1]) == (1, f"CommandError: {STOPPED}")
