"""`usage-archive collect --wait` against a whole instance with workers: docs/client.md#verbs."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from archive_site.client.outcome import ExitCode
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests import process_stores
from tests.archive_site.commands import Up, up, wait_until
from tests.client.conftest import Run
from tests.collection.running_instance import Instance

MAKE_TOKEN = """
import django
django.setup()
from accounts.models import User
from tests.tokens import make_token
print(make_token(User.objects.get(username="alice"))[1])
"""


@pytest.fixture(scope="module")
def running(made_once: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    with up(process_stores.copy(made_once, tmp_path_factory.mktemp("collecting") / "home")) as instance:
        yield instance


@pytest.fixture(scope="module")
def token(running: Up) -> str:
    with Instance(running.home) as instance:
        return instance.python(MAKE_TOKEN).strip()


# Starts a whole instance.
@pytest.mark.thorough
@pytest.mark.parametrize("is_good", [True, False])
def test_it_waits_for_the_end_and_says_what_came(
    command: Run, running: Up, token: str, simulator: Simulator, is_good: bool
) -> None:
    instance = Instance(running.home)
    # The schedule would begin a collection of its own; and two tests collect one after the other.
    instance.use(simulator, schedule_enabled=0, collect_min_interval_seconds=0)
    if not is_good:
        instance.use_cookie(simulator.base_url, "session=wrong")

    def run(*words: str) -> tuple[int, str, str]:
        done = command(*words, USAGE_ARCHIVE_SERVER=running.url, USAGE_ARCHIVE_TOKEN=token)
        return done.returncode, done.stdout, done.stderr

    wait_until(lambda: json.loads(run("status", "--json")[1])["status"]["scheduler"]["running"])
    code, out, error = run("collect", "--wait")
    assert (code, error.count("\n")) == ((0, 0) if is_good else (ExitCode.FAILED, 1)), error
    assert "fetched" in out
    code, _, error = run("status", "--check")
    assert (code, "cookie was refused" in error) == ((0, False) if is_good else (ExitCode.FAILED, True)), error
