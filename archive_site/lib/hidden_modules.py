"""Loading a library without others, which it would load wherever they are installed."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def hidden(*names: str) -> Iterator[None]:
    """Let imports of these modules fail in the block, as where they are not installed; what is loaded stays."""
    absent = [name for name in names if name not in sys.modules]
    # An entry without a module makes the import fail.
    sys.modules.update(dict.fromkeys(absent))  # type: ignore[arg-type]
    try:
        yield
    finally:
        for name in absent:
            del sys.modules[name]
