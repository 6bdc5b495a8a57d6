"""The system's allocator of memory, where it is glibc's (docs/decisions/records.md#large-answers-in-pieces)."""

import ctypes
import os

# The options of `mallopt` and their values, by the environment variables that set the same.
_OPTIONS = {
    "MALLOC_TRIM_THRESHOLD_": (-1, 128 * 1024),
    "MALLOC_MMAP_THRESHOLD_": (-3, 128 * 1024),
    "MALLOC_ARENA_MAX": (-8, 2),
}


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
