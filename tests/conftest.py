"""Shared fixtures: two ordinary accounts, an administrator, clients that sign in, and the upstream simulator."""

import fcntl
import gc
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Generator, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from django.conf import settings
from django.core.cache import caches
from django.test import TransactionTestCase

from accounts import config
from accounts.models import INSTANCE, User
from accounts.passwords.hashers import Argon2Hasher
from archive_site.lib import seldom_log
from archive_site.lib.storage import engine
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests import circles, distribution, process_stores, statements
from tests.collection.running_instance import made_instance
from tests.contract import whole_run
from tests.emptied_tables import empty_tables
from tests.factories import ApiClient, make_user
from tests.standing_clock import SetClock, standing
from usage.export import concurrency_limit
from usage.search import engine_index as search_index

# What a collection creates stays: to look through it again and again would take a quarter of its time.
gc.disable()

ForAll = Callable[[str, Callable[[Path], Path]], Path]

# Shells start background jobs with SIGINT ignored; child processes that tests interrupt would inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


# A proxy would be asked for what listens on loopback.
for name in ("http_proxy", "https_proxy", "all_proxy"):
    os.environ.pop(name, None)
    os.environ.pop(name.upper(), None)

# The number of examples of a property test: few for `make test`, many for `make test-all`.
# Without the examples of earlier failures, which a new clone does not have.
hypothesis.settings.register_profile("shallow", max_examples=20, deadline=None, database=None)
hypothesis.settings.register_profile("deep", max_examples=150, deadline=None)
hypothesis.settings.load_profile("shallow")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> distribution.ByFile:
    return distribution.ByFile(config, log)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Generator[None]:
    # The random order comes before the order of the files.
    circles.mark_later_cases(items)
    circles.check(items)
    foreign = ["postgres_only"] if engine.IS_SQLITE else ["sqlite_only", "file_counters"]
    items[:] = [item for item in items if not any(map(item.get_closest_marker, foreign))]
    yield
    distribution.longest_first(items)


def pytest_collection_finish() -> None:
    # As often as usual, it would take a tenth of the time of the tests.
    gc.freeze()
    gc.set_threshold(50_000, 50, 100)
    gc.enable()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    whole_run.take_from(node)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    statements.begin(item.nodeid, is_property=item.get_closest_marker("hypothesis") is not None)


def pytest_sessionfinish(session: pytest.Session) -> None:
    whole_run.finish(session)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """List each test that could not run on this machine, with the reason, and described answers that no test got."""
    for name in config.stash.get(whole_run.NEVER_SEEN, []):
        terminalreporter.line(f"DESCRIBED, BUT NEVER ANSWERED: {name}", red=True)
    for report in terminalreporter.getreports("skipped"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        terminalreporter.line(f"NOT RUN HERE: {report.nodeid}: {reason}", yellow=True)


@pytest.fixture(scope="session", autouse=True)
def documented_hashing() -> Iterator[dict[str, int]]:
    """The parameters of password hashes, which are small in the processes of tests: a hash takes a millisecond there.

    Processes that tests start hash as documented.
    """
    small = {"memory_cost": 8, "time_cost": 1}
    documented = {name: getattr(Argon2Hasher, name) for name in small}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in small.items():
            patch.setattr(Argon2Hasher, name, value)
        yield documented


@pytest.fixture(scope="session", autouse=True)
def settings_of_children() -> Iterator[None]:
    """Processes that the service starts have its settings, in the data folder of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DJANGO_SETTINGS_MODULE", "archive_site.settings")
        yield


@pytest.fixture(scope="session", autouse=True)
def quickly_emptied() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TransactionTestCase, "_fixture_teardown", empty_tables)
        yield


@pytest.fixture(autouse=True)
def standing_clock(request: pytest.FixtureRequest) -> Iterator[SetClock | None]:
    """The clock, which stands still; none where it runs."""
    if "running_clock" in request.fixturenames:
        yield None
        return
    with standing() as clock:
        yield clock


@pytest.fixture(scope="session")
def running_clock() -> None:
    """For tests and fixtures with processes or servers, which have the machine's clock."""


@pytest.fixture
def time(standing_clock: SetClock | None) -> SetClock:
    """The clock, to be moved."""
    assert standing_clock, "The clock runs in this test."
    return standing_clock


@pytest.fixture
def set_right(time: SetClock) -> Callable[[], None]:
    """The clock runs a day ahead; what this gives sets it right, and less than a minute has passed."""
    right = time.now
    time.now = right + timedelta(days=1)

    def set_it() -> None:
        time.now = right + timedelta(seconds=20)

    return set_it


@pytest.fixture
def alice(db: None) -> User:
    return make_user("alice")


@pytest.fixture
def bob(db: None) -> User:
    return make_user("bob")


@pytest.fixture
def root(db: None) -> User:
    return make_user("root", is_admin=True)


@pytest.fixture
def api_of() -> Callable[[User], ApiClient]:
    """A client signed in as a user, which sends the CSRF token as a page would."""
    return ApiClient.signed_in


@pytest.fixture
def fresh_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines that the log has once a minute are due."""
    monkeypatch.setattr(seldom_log, "_last", {})


@pytest.fixture
def anonymous() -> ApiClient:
    return ApiClient()


@pytest.fixture(scope="session")
def for_all(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> ForAll:
    """Gives a data folder, to be copied, which the first of the test processes that asks for it creates for all."""
    folder = tmp_path_factory.getbasetemp()
    if hasattr(request.config, "workerinput"):
        folder = folder.parent

    def find(name: str, make: Callable[[Path], Path]) -> Path:
        with (folder / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            made = folder / name
            if not made.exists():
                process_stores.copy(make(folder / f"{name}-making"), made)
        return made

    return find


@pytest.fixture(scope="session")
def made_once(for_all: ForAll) -> Path:
    """A data folder with accounts, to be copied."""
    return for_all("made", made_instance)


@pytest.fixture
def made_home(made_once: Path, tmp_path: Path, running_clock: None) -> Path:
    """A data folder with the accounts alice and root, for commands in processes of their own."""
    return process_stores.copy(made_once, tmp_path / "home")


@pytest.fixture
def simulator() -> Iterator[Simulator]:
    with Simulator(accounts=2, days=10, per_day=40) as running:
        yield running


@pytest.fixture
def no_captcha(db: None) -> None:
    """The instance asks for no captcha, so that a test signs in with name and password alone."""
    config.write({"captcha_policy": "off"}, archive_id=INSTANCE, may_edit_instance=True)


@pytest.fixture(autouse=True)
def nothing_left(request: pytest.FixtureRequest, django_db_blocker: Any) -> Iterator[None]:
    """What a test leaves beside its rows is gone before the next one.

    One fixture for all of it: each costs every test some time.
    """
    databases = process_stores.created()
    yield
    # Counters, and what is kept in memory on a full disk.
    caches["counters"].clear()
    caches["spare"].clear()
    # After a test with real transactions Django empties the tables of models, not SQLite's search index.
    mark = request.node.get_closest_marker("django_db")
    is_real = (mark and mark.kwargs.get("transaction")) or "transactional_db" in request.fixturenames
    if engine.IS_SQLITE and is_real:
        with django_db_blocker.unblock():
            search_index.drop()
            search_index.create()
    # Databases of the processes that it started; those of fixtures of more tests stay.
    process_stores.drop(process_stores.created() - databases)
    # Accounts of several tests have the same ids, so the same folders.
    for path in (*settings.DATA_FOLDER.exports.glob("*"), *settings.DATA_FOLDER.backups.glob("*")):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    # An answer that was not read to its end holds a place of the next test's exports until it is collected.
    if concurrency_limit._taken:
        gc.collect()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 32 MB."""
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", disk], capture_output=True).returncode:
        pytest.skip("no disk can be mounted here")
    yield disk
    subprocess.run(["umount", "-l", disk], check=True)
