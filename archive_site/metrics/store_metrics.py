"""What the store and the files say. Each part is read on its own, so that one that fails does not empty the others."""

import logging
import time
from collections.abc import Callable, Iterable, Iterator
from threading import Lock

from django.conf import settings
from django.db import connection
from prometheus_client import generate_latest
from prometheus_client.metrics_core import Metric

from archive_site.metrics import storage, work
from archive_site.metrics.accounts import AccountMetrics
from archive_site.metrics.families import gauge

log = logging.getLogger(__name__)
# Seconds for which an answer is given again, so that several that ask at once cost one reading.
KEPT = 5.0
Part = Callable[[], Iterable[Metric]]


class StoreMetrics:
    """The metrics of this instance as text."""

    def __init__(self) -> None:
        self.parts: dict[str, Part] = {
            "accounts": AccountMetrics().read,
            "runs": work.runs,
            "queue": work.queue,
            "notices": work.notices,
            "store": storage.store,
            "disk": storage.disk,
            "backups": storage.backups,
        }
        self._lock = Lock()
        self._failing: set[str] = set()
        self._text = b""
        self._until = 0.0

    def text(self) -> bytes:
        """The metrics, read now or a moment ago."""
        with self._lock:
            if time.monotonic() >= self._until:
                self._text = generate_latest(self)
                self._until = time.monotonic() + KEPT
            return self._text

    def collect(self) -> Iterator[Metric]:
        """The metrics of all parts that can be read, and which these are."""
        yield _build()
        for name, part in self.parts.items():
            yield from self._read(name, part)
        states = [((name,), float(name not in self._failing)) for name in self.parts]
        yield gauge("collector_ok", "Whether a part of these metrics could be read.", ("part",), states)

    def _read(self, name: str, part: Part) -> list[Metric]:
        """The metrics of a part; none where it fails, which the log says once until it can be read again."""
        try:
            found = list(part())
        except Exception:
            if name not in self._failing:
                log.exception("the metrics of %s cannot be read", name)
            self._failing.add(name)
            return []
        if name in self._failing:
            log.info("the metrics of %s can be read again", name)
            self._failing.remove(name)
        return found


def _build() -> Metric:
    labels = ("version", "engine", "node")
    values = (settings.VERSION, connection.vendor, settings.NODE)
    return gauge("build_info", "Always 1: the version, the engine of the store and the node.", labels, [(values, 1)])
