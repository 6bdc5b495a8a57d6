"""The name of a node: stable, and never that of another (docs/decisions/nodes.md#nodes)."""

import errno
import shutil
import socket
from pathlib import Path

import pytest

from archive_site.lib.environment import ConfigurationError
from archive_site.lib.storage.node_name import node_name


def test_a_node_keeps_its_name(tmp_path: Path) -> None:
    name = node_name(tmp_path / "node.id", None)
    assert name.startswith(socket.gethostname())
    assert node_name(tmp_path / "node.id", None) == name


def test_a_copied_folder_is_another_node(tmp_path: Path) -> None:
    name = node_name(tmp_path / "node.id", None)
    shutil.copy2(tmp_path / "node.id", tmp_path / "copy.id")
    assert node_name(tmp_path / "copy.id", None) != name


def test_a_name_can_be_given(tmp_path: Path) -> None:
    assert node_name(tmp_path / "node.id", "web-1") == "web-1"
    assert not (tmp_path / "node.id").exists()


@pytest.mark.parametrize("content", ["", "one", "1 2 3"])
def test_a_damaged_file_is_replaced(content: str, tmp_path: Path) -> None:
    (tmp_path / "node.id").write_text(content)
    name = node_name(tmp_path / "node.id", None)
    assert node_name(tmp_path / "node.id", None) == name


def test_a_host_with_an_odd_name_has_a_plain_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(socket, "gethostname", lambda: "web 1/" + "x" * 100)
    assert node_name(tmp_path / "node.id", None).startswith("web-1-xxx")
    assert len(node_name(tmp_path / "node.id", None)) <= 64


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"\A.*node\.id cannot be used.*\Z"):
        node_name(tmp_path / "missing" / "node.id", None)


@pytest.mark.parametrize("step", ["write_text", "replace"])
def test_a_file_that_cannot_be_written_leaves_none(step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*given: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, step, full)
    with pytest.raises(ConfigurationError, match="No space left on device"):
        node_name(tmp_path / "node.id", None)
    assert list(tmp_path.iterdir()) == []
