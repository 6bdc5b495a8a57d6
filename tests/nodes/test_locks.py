"""Locks of the instance hold on every node (docs/decisions/nodes.md#locks-of-the-instance)."""

import signal
from pathlib import Path

import pytest

from tests.nodes.instance import Nodes

pytestmark = pytest.mark.postgres_only
HOLD = """
import time
import django
django.setup()
from archive_site.lib.locks.instance_lock import held
with held("backups/.lock"):
    print("held", flush=True)
    time.sleep(60)
"""
TRY = """
import django
django.setup()
from archive_site.lib.locks.maintenance_lock import maintenance_lock
from archive_site.lib.http.api_error import ApiError
try:
    with maintenance_lock():
        print("free")
except ApiError as error:
    print(error.status, error.error)
"""


def test_it_holds_on_every_node_until_its_holder_dies(nodes: Nodes) -> None:
    with nodes.script("a", HOLD) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        assert nodes.python("b", TRY) == "409 busy\n"
        holder.send_signal(signal.SIGKILL)
        holder.wait(60)
    assert nodes.python("b", TRY) == "free\n"


def test_no_file_is_made_for_it(nodes: Nodes, tmp_path: Path) -> None:
    assert nodes.python("a", TRY) == "free\n"
    assert not (tmp_path / "a" / "backups" / ".lock").exists()
