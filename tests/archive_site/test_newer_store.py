"""A store that a newer version has migrated (docs/decisions/nodes.md#a-store-of-a-newer-version)."""

import subprocess
import sys
from pathlib import Path

import pytest
import requests
from django.core.management import BaseCommand, get_commands, load_command_class

from archive_site.lib.commands import ArchiveCommand
from archive_site.management.run import REFUSING
from tests import process_stores
from tests.archive_site.commands import ROOT, is_one_line, manage, start, up, wait_until

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


# Commands of Django and of the queue

FOREIGN = [
    ("flush", "--no-input"), ("migrate",), ("qcluster",), ("loaddata", "rows.json"), ("createsuperuser", "--no-input"),
    ("changepassword", "alice"), ("remove_stale_contenttypes", "--no-input"), ("createcachetable",),
    ("runserver", "127.0.0.1:1"),
]  # fmt: skip
# They read, print, or work on files and other databases; the two shells are there to repair a store.
GO_ON = {
    "check", "collectstatic", "compilemessages", "dbshell", "diffsettings", "dumpdata", "findstatic", "inspectdb",
    "makemessages", "makemigrations", "messages", "optimizemigration", "qinfo", "qmemory", "qmonitor", "sendtestemail",
    "shell", "showmigrations", "simulate_upstream", "sqlflush", "sqlmigrate", "sqlsequencereset", "squashmigrations",
    "startapp", "startproject", "test", "testserver",
}  # fmt: skip


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("command", FOREIGN)
def test_a_command_of_django_refuses_it_before_it_changes_anything(made_home: Path, command: tuple[str, ...]) -> None:
    make_newer(made_home)
    accounts = process_stores.sql(made_home, "SELECT count(*) FROM accounts_user")
    assert is_one_line(manage(*command, home=made_home), REFUSED, "docs/running.md#upgrading")
    assert process_stores.sql(made_home, "SELECT count(*) FROM accounts_user") == accounts


@pytest.mark.engine
@pytest.mark.thorough_after(1)
@pytest.mark.parametrize(
    "command",
    [("dumpdata", "contenttypes"), ("showmigrations",), ("flush", "--help"), ("help", "flush"), ("check",), ("help",)],
)
def test_help_and_what_only_reads_go_on(made_home: Path, command: tuple[str, ...]) -> None:
    make_newer(made_home)
    done = manage(*command, home=made_home)
    assert (done.returncode, bool(done.stdout)) == (0, True), done.stderr


@pytest.mark.thorough
def test_the_command_of_the_package_refuses_it_too(made_home: Path) -> None:
    make_newer(made_home)
    words = [sys.executable, "-m", "archive_site.command_line", "manage", "flush", "--no-input"]
    done = subprocess.run(words, cwd=ROOT, env=process_stores.environment(made_home), capture_output=True, text=True)
    assert is_one_line(done, REFUSED)


def test_each_command_is_known_to_refuse_or_to_go_on() -> None:
    own = {name for name, app in get_commands().items() if issubclass(type(load(app, name)), ArchiveCommand)}
    assert {command[0] for command in FOREIGN} == REFUSING
    assert set(get_commands()) - own == REFUSING | GO_ON


def load(app: str | BaseCommand, name: str) -> BaseCommand:
    return app if isinstance(app, BaseCommand) else load_command_class(app, name)


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
