"""An export of one node, asked for on another (docs/decisions/nodes.md#files-of-a-node)."""

from pathlib import Path

import pytest

from tests.nodes.instance import Nodes

pytestmark = pytest.mark.postgres_only
WRITE = """
import django
django.setup()
from accounts.store_identity import open_store
from tests.factories import make_user
from usage.export import kept_files
open_store()
alice = make_user("alice")
print(kept_files.write_export(alice, alice.pk).name)
"""
READ = """
import django
django.setup()
from accounts.models import User
from tests.factories import ApiClient
answer = ApiClient.signed_in(User.objects.get()).get("/exports/{name}")
print(answer.status_code, answer.json()["error"] if answer.status_code == 409 else answer["Content-Type"])
"""


def read_on_another(nodes: Nodes) -> str:
    # The name that Django's client asks for.
    nodes.variables["ARCHIVE_ALLOWED_HOSTS"] = "testserver"
    name = nodes.python("a", WRITE).strip()
    if "ARCHIVE_SHARED" not in nodes.variables:
        nodes.copy_keys("a", "b")
    return nodes.python("b", READ.format(name=name))


@pytest.mark.thorough
def test_without_a_common_folder_it_is_409(nodes: Nodes) -> None:
    assert read_on_another(nodes) == "409 elsewhere\n"


def test_with_a_common_folder_it_is_served(nodes: Nodes, tmp_path: Path) -> None:
    nodes.variables["ARCHIVE_SHARED"] = str(tmp_path / "shared")
    assert read_on_another(nodes) == "200 text/csv; charset=utf-8\n"
    assert {path.name for path in (tmp_path / "shared").iterdir()} >= {"exports", "backups", "instance.key"}
