"""Metrics of the store, the disk and the backups."""

import shutil
from collections.abc import Iterator

from django.conf import settings
from prometheus_client.metrics_core import Metric

from archive_site.lib.storage.store_size import store_bytes
from archive_site.metrics.families import gauge, single
from backups import automatic


def store() -> Iterator[Metric]:
    yield single("store_size_bytes", "The size of the database.", store_bytes())


def disk() -> Iterator[Metric]:
    usage, node = shutil.disk_usage(settings.DATA_FOLDER.home), (settings.NODE,)
    yield gauge("disk_free_bytes", "Free space of the disk of a node's data folder.", ("node",), [(node, usage.free)])
    yield gauge("disk_size_bytes", "The size of the disk of a node's data folder.", ("node",), [(node, usage.total)])


def backups() -> Iterator[Metric]:
    made = automatic.newest_file()
    about = "When the newest backup that is there was created, as seconds since 1970."
    yield single("backup_last_timestamp_seconds", about, made.timestamp() if made else None)
