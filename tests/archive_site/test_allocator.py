"""The options of the allocator, which a process sets for itself."""

import ctypes
from types import SimpleNamespace

import pytest

from archive_site.lib import allocator


@pytest.fixture
def options(monkeypatch: pytest.MonkeyPatch) -> dict[int, int]:
    """The options that were set."""
    found: dict[int, int] = {}
    monkeypatch.setattr(ctypes, "CDLL", lambda name: SimpleNamespace(mallopt=found.__setitem__))
    for variable in allocator._OPTIONS:
        monkeypatch.delenv(variable, raising=False)
    return found


def test_large_pieces_go_back_to_the_system(options: dict[int, int]) -> None:
    allocator.return_memory()
    assert options == {-1: 131072, -3: 131072, -8: 2}


def test_the_environment_comes_first(options: dict[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MALLOC_ARENA_MAX", "4")
    allocator.return_memory()
    assert -8 not in options


def test_other_systems_do_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "CDLL", lambda name: SimpleNamespace())
    allocator.return_memory()
    allocator.trim()


def test_free_memory_between_what_is_used_goes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[int] = []
    monkeypatch.setattr(ctypes, "CDLL", lambda name: SimpleNamespace(malloc_trim=kept.append))
    allocator.trim()
    assert kept == [0]
