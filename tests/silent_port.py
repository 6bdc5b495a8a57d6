"""An address of this machine at which nobody listens."""

import socket
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def silent_port() -> Iterator[int]:
    """A port of 127.0.0.1 that refuses connections. It is bound, so that nobody else can listen there."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield int(bound.getsockname()[1])
