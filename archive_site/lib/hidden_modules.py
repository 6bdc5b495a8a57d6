"""Loading a library without another one, which it would load wherever that is installed."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def hidden(name: str) -> Iterator[None]:
    """Let imports of a module fail in the block, as where it is not installed; one that is loaded stays."""
    if name in sys.modules:
        yield
        return
    # An entry without a module makes the import fail.
    sys.modules[name] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[name]
