"""Connections that PostgreSQL ended meanwhile, as at its restart, are opened again before anything fails."""

import signal

import pytest
import requests

from tests.archive_site.commands import wait_until
from tests.collection.gated_simulator import GatedSimulator
from tests.nodes.instance import Nodes
from tests.nodes.test_runs import collecting, gated

__all__ = ["collecting", "gated"]

pytestmark = pytest.mark.postgres_only
REQUESTS = 30
END_ALL = """
    SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid()"""
# The supervisor has last queued the first tick, or compared the migrations.
END_OF_SUPERVISOR = f"""{END_ALL} AND state = 'idle'
    AND (query LIKE 'INSERT INTO "django_q_ormq"%' OR query LIKE '%django_migrations%')"""


def test_no_request_fails_after_the_store_was_away(nodes: Nodes) -> None:
    web = nodes.up("a", "--no-worker")
    [(ended,)] = nodes.sql(END_ALL)
    assert ended
    assert {requests.get(f"{web.url}/healthz", timeout=30).status_code for _ in range(REQUESTS)} == {200}


@pytest.mark.thorough
def test_a_stopped_node_interrupts_its_own_run_after_it(collecting: Nodes, gated: GatedSimulator) -> None:
    gated.hold_at(2)
    workers = collecting.workers("a")
    assert gated.reached.wait(60)
    wait_until(lambda: collecting.sql(END_OF_SUPERVISOR)[0][0])
    workers.send_signal(signal.SIGTERM)
    wait_until(lambda: collecting.sql("SELECT stop_requested FROM collection_run") == [(True,)])
    gated.release()
    assert workers.wait(60) == 0
