"""`usage-archive collect --wait` against a whole instance with workers: docs/client.md#verbs."""

import json
from pathlib import Path

import pytest

from archive_site.client.outcome import ExitCode
from collection.simulator.simulator import Simulator
from tests.archive_site.commands import up, wait_until
from tests.client.conftest import Run
from tests.collection.running_instance import Instance

MAKE_TOKEN = """
import django
django.setup()
from accounts.models import User
from tests.tokens import make_token
print(make_token(User.objects.get(username="alice"))[1])
"""


# Waits for the first heartbeat of the workers.
@pytest.mark.thorough
@pytest.mark.parametrize("is_good", [True, False])
def test_it_waits_for_the_end_and_says_what_came(
    command: Run, made_home: Path, simulator: Simulator, is_good: bool
) -> None:
    instance = Instance(made_home)
    # The schedule would begin a collection of its own.
    instance.use(simulator, schedule_enabled=0)
    if not is_good:
        instance.use_cookie(simulator.base_url, "session=wrong")
    token = instance.python(MAKE_TOKEN).strip()
    with up(made_home) as running:

        def run(*words: str) -> tuple[int, str, str]:
            done = command(*words, USAGE_ARCHIVE_SERVER=running.url, USAGE_ARCHIVE_TOKEN=token)
            return done.returncode, done.stdout, done.stderr

        wait_until(lambda: json.loads(run("status", "--json")[1])["status"]["scheduler"]["running"])
        code, out, error = run("collect", "--wait")
        assert (code, error.count("\n")) == ((0, 0) if is_good else (ExitCode.FAILED, 1)), error
        assert "fetched" in out
        code, _, error = run("status", "--check")
        assert (code, "cookie was refused" in error) == ((0, False) if is_good else (ExitCode.FAILED, True)), error
