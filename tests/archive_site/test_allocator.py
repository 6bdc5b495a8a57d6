"""The options of the allocator, which a process sets for itself."""

import ctypes
import subprocess
import sys
from types import SimpleNamespace

import pytest

from archive_site.lib import allocator
from tests.archive_site.commands import ROOT


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
    allocator.fill_gaps()


def test_free_memory_between_what_is_used_goes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[int] = []
    monkeypatch.setattr(ctypes, "CDLL", lambda name: SimpleNamespace(malloc_trim=kept.append))
    allocator.trim()
    assert kept == [0]


# Of blocks of four sizes some are freed; new ones lie behind all others.
FREE_AND_TAKE = """
import ctypes
from archive_site.lib import allocator
library = ctypes.CDLL(None)
library.malloc.restype, library.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
library.free.argtypes = [ctypes.c_void_p]
blocks = [library.malloc(size) for size in (40, 200, 1000, 5000) * 500]
for block in blocks[1000::2] + blocks[1001::4]:
    library.free(block)
allocator.fill_gaps()
print(min(library.malloc(size) for size in (40, 200, 1000, 5000) * 50) > max(blocks))
"""


def test_no_block_comes_to_lie_between_others() -> None:
    # A process of tests is so large that not all of its blocks are in one row.
    ended = subprocess.run([sys.executable, "-c", FREE_AND_TAKE], cwd=ROOT, capture_output=True, text=True, check=True)
    assert ended.stdout == "True\n"
