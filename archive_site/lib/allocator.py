"""The system's allocator of memory, where it is glibc's (docs/decisions/records.md#large-answers-in-pieces)."""

import ctypes
import os

# The options of `mallopt` and their values, by the environment variables that set the same.
_OPTIONS = {
    "MALLOC_TRIM_THRESHOLD_": (-1, 128 * 1024),
    "MALLOC_MMAP_THRESHOLD_": (-3, 128 * 1024),
    "MALLOC_ARENA_MAX": (-8, 2),
}
# The end of the heap that `malloc_trim` leaves free, and the sizes of blocks that may be free before it, in bytes.
_LAST = 8192
_GAPS = (*(2**power for power in range(16, 10, -1)), *range(1008, 16, -16))


def return_memory() -> None:
    """Let the memory of large answers go back to the system, unless the environment says otherwise."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt:
        for variable, (option, value) in _OPTIONS.items():
            if variable not in os.environ:
                mallopt(option, value)


def trim() -> None:
    """Give free memory back that lies between what is used: texts of prompts leave holes. Other threads go on."""
    malloc_trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if malloc_trim:
        malloc_trim(0)


def fill_gaps() -> None:
    """Take what is free between used blocks, for good: a fork that puts a block there gets a copy of its whole page
    (docs/decisions/instance.md#small-machines)."""
    library = ctypes.CDLL(None)
    if not hasattr(library, "malloc_trim"):
        return
    library.malloc.restype = library.sbrk.restype = ctypes.c_void_p
    library.malloc.argtypes, library.free.argtypes = [ctypes.c_size_t], [ctypes.c_void_p]
    library.malloc_trim(0)
    end = library.sbrk(0) - _LAST
    for size in _GAPS:
        while (block := library.malloc(size)) and block < end:
            pass
        library.free(block)
