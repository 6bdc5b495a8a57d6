"""A PostgreSQL that is stopped under a running node: probes say so, and the log has no traceback for each."""

from collections.abc import Iterator

import pytest
import requests

from tests.archive_site.commands import Up, up, wait_until
from tests.private_servers import Cluster, cluster

pytestmark = pytest.mark.postgres_only
PROBES = 20


@pytest.fixture(scope="module")
def server() -> Iterator[Cluster]:
    with cluster() as running:
        yield running


@pytest.fixture(scope="module")
def node(server: Cluster, tmp_path_factory: pytest.TempPathFactory, running_clock: None) -> Iterator[Up]:
    with up(tmp_path_factory.mktemp("node") / "home", "--no-worker", DATABASE_URL=server.url) as running:
        yield running


@pytest.mark.parametrize("crash", [False, True])
def test_readyz_names_the_database_until_it_is_there_again(crash: bool, node: Up, server: Cluster) -> None:
    assert ready(node) == (200, [])
    server.stop(crash=crash)
    try:
        assert {str(ready(node)) for _ in range(PROBES)} == {str((503, ["database"]))}
        healthy = [requests.get(f"{node.url}/healthz", timeout=30).status_code for _ in range(PROBES)]
        assert set(healthy) == {503}
    finally:
        server.start()
    wait_until(lambda: ready(node) == (200, []))
    log = (node.home / "logs" / "app.log").read_text()
    assert "Traceback" not in log
    assert log.count("the store is locked, or takes no connection or no writes") <= 2


def ready(node: Up) -> tuple[int, list[str]]:
    answer = requests.get(f"{node.url}/readyz", timeout=30)
    return answer.status_code, answer.json()["missing"]
