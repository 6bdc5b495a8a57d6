"""The keys of several nodes: made once, and never by a node that comes later (docs/decisions/instance.md#keys)."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from archive_site.lib.storage.encryption import fingerprint_of
from tests.archive_site.commands import is_one_line
from tests.nodes.instance import KEYS, Nodes

pytestmark = pytest.mark.postgres_only
# A short command that opens the store.
OPEN = ("backup", "list")


def keys_in(home: Path) -> set[str]:
    return {path.name for path in home.iterdir() if "key" in path.name}


def fingerprint(nodes: Nodes) -> str:
    return str(nodes.sql("SELECT key_fingerprint FROM accounts_store")[0][0])


def key_of(nodes: Nodes, name: str) -> str:
    return (nodes.home(name) / "instance.key").read_text().strip()


@pytest.fixture
def used(nodes: Nodes) -> Nodes:
    """An instance whose first node has made the keys."""
    assert nodes.manage("first", *OPEN).returncode == 0
    return nodes


def test_the_first_start_makes_the_keys(used: Nodes) -> None:
    assert keys_in(used.home("first")) == set(KEYS)
    assert fingerprint(used) == fingerprint_of(key_of(used, "first"))


def test_a_node_without_keys_refuses_to_start(used: Nodes) -> None:
    before = fingerprint(used)
    failed = used.manage("second", "up", "--bind", "127.0.0.1:1")
    assert is_one_line(failed, "secret.key is missing", "copy it from another node", "replace_key --yes")
    assert (keys_in(used.home("second")), fingerprint(used)) == (set(), before)


@pytest.mark.thorough_after(1)
@pytest.mark.parametrize("name", KEYS)
def test_a_node_that_lacks_one_of_them_names_it(name: str, used: Nodes) -> None:
    used.copy_keys("first", "second")
    (used.home("second") / name).unlink()
    assert is_one_line(used.manage("second", *OPEN), f"{name} is missing")


def test_a_node_with_the_same_keys_starts(used: Nodes) -> None:
    before = fingerprint(used)
    used.copy_keys("first", "second")
    assert used.manage("second", *OPEN).returncode == 0
    assert fingerprint(used) == before


@pytest.mark.thorough
def test_another_valid_key_is_taken_and_said(used: Nodes) -> None:
    used.copy_keys("first", "second")
    (used.home("second") / "instance.key").write_bytes(Fernet.generate_key())
    done = used.manage("second", *OPEN)
    assert (done.returncode, "holds another key" in done.stderr) == (0, True)
    assert fingerprint(used) == fingerprint_of(key_of(used, "second"))
    assert used.sql("SELECT count(*) FROM audit_entry WHERE action = 'key_replace'") == [(1,)]


@pytest.mark.thorough
def test_of_two_first_starts_at_once_the_second_refuses(nodes: Nodes) -> None:
    with ThreadPoolExecutor(2) as pool:
        done = dict(zip("ab", pool.map(lambda name: nodes.manage(name, *OPEN), "ab"), strict=True))
    [first] = [name for name in "ab" if done[name].returncode == 0]
    [second] = {"a", "b"} - {first}
    assert is_one_line(done[second], ".key is missing")
    assert fingerprint(nodes) == fingerprint_of(key_of(nodes, first))
    assert keys_in(nodes.home(second)) == set()


def test_two_first_starts_at_once_agree_on_keys_that_they_share(nodes: Nodes, tmp_path: Path) -> None:
    nodes.variables["ARCHIVE_SHARED"] = str(tmp_path / "shared")
    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda name: nodes.manage(name, *OPEN), "ab"))
    assert [one.returncode for one in done] == [0, 0], done
    key = (tmp_path / "shared" / "instance.key").read_text().strip()
    assert (fingerprint(nodes), keys_in(tmp_path / "shared")) == (fingerprint_of(key), set(KEYS))


@pytest.mark.thorough
def test_a_first_start_that_died_before_its_keys_were_in_place_goes_on(used: Nodes) -> None:
    for name in KEYS:
        (used.home("first") / name).rename(used.home("first") / f"{name}.new")
    assert used.manage("first", *OPEN).returncode == 0
    assert keys_in(used.home("first")) == set(KEYS)


def test_a_store_that_does_not_answer_is_one_line(nodes: Nodes) -> None:
    nodes.variables["DATABASE_URL"] = "postgres://archive:hunter2@127.0.0.1:1/archive"
    failed = nodes.manage("first", *OPEN)
    assert is_one_line(failed, "The store cannot be used")
    assert "hunter2" not in failed.stderr
