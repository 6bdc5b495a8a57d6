"""The small site that tests of the web server visit."""

from collections.abc import Iterator
from typing import Any

import pytest

from archive_site.serving import slow_clients, web_server
from tests.archive_site.small_site import Site

LONGEST_BODY = 1000


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch, settings: Any) -> Iterator[Site]:
    """The server; a tenth of a second is what takes a second in service."""
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = LONGEST_BODY
    monkeypatch.setattr(slow_clients, "PATIENCE", 0.1)
    monkeypatch.setattr(slow_clients, "SPARED_SILENCE", 0.2)
    monkeypatch.setattr(web_server, "LOOK_INTERVAL", 0.05)
    made = Site()
    yield made
    made.open.close()
    made.server.stop()
    made.thread.join(10)
    assert not made.thread.is_alive()
