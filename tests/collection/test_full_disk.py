"""A disk that fills during a collection: a clear message, no loss, and recovery once there is room."""

import shutil
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection

from accounts.models import User
from archive_site.lib import clock
from collection.sources.codebuddy.simulator.simulator import Simulator
from tests import process_stores
from tests.collection.collector_run import collected, set_up
from tests.collection.gated_simulator import GatedSimulator
from tests.collection.running_instance import Instance

pytestmark = pytest.mark.thorough

LEFT = 256 * 1024


# The store of PostgreSQL is on the disk of its server.
@pytest.mark.sqlite_only
@pytest.mark.parametrize("left", [0, LEFT])
def test_a_full_disk_is_reported_and_the_next_run_completes_it(left: int, instance: Instance, small_disk: Path) -> None:
    upstream = GatedSimulator(accounts=1, days=20, per_day=100)
    with upstream, Instance.copied(instance.home, small_disk / "home") as small:
        small.use(upstream, page_size=100)
        today = clock.today().isoformat()
        assert small.run("collect", "alice", "--from", today, "--to", today).returncode == 0
        before = small.sql("SELECT COUNT(*) FROM usage_record")
        filling = small_disk / "filling"
        filling.write_bytes(b"\0" * (shutil.disk_usage(small_disk).free - left))
        failed = small.run("collect", "alice")
        assert (failed.returncode, failed.stdout) == (1, "")
        assert "The disk is full" in failed.stderr
        assert "Traceback" not in failed.stderr
        filling.unlink()
        assert small.sql("SELECT COUNT(*) FROM usage_record") >= before
        done = small.run("collect", "alice")
        assert (done.returncode, done.stderr) == (0, "")
        assert small.sql("SELECT COUNT(*) FROM usage_record") == [(len(upstream.rows()),)]
        assert small.sql("SELECT COUNT(*) FROM collection_run WHERE status = 'running'") == [(0,)]
        assert process_stores.is_sound(small.home)


@pytest.mark.engine
@pytest.mark.postgres_only
@pytest.mark.django_db(transaction=True)
def test_a_full_disk_of_the_server_is_reported_and_the_next_run_completes_it(alice: User, simulator: Simulator) -> None:
    set_up(alice, simulator)

    def full(execute: Any, sql: str, *more: Any) -> Any:
        if "usage_daygroup" in sql:
            with connection.wrap_database_errors:
                raise psycopg.errors.DiskFull("could not extend file")
        return execute(sql, *more)

    with connection.execute_wrapper(full):
        failed = collected(alice).run
    assert "The disk is full" in failed.message
    assert collected(alice).run.status == "ok"
