"""Migrations of a store file in a process of their own, whose engine is SQLite."""

import json
import logging
import os
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError

from archive_site.lib.environment import IN_MEMORY

log = logging.getLogger(__name__)

_PROJECT = Path(__file__).parents[2]


def migrate(store: Path, targets: Collection[tuple[str, str]] | None = None) -> None:
    """Migrate a store file to `targets`, or to the newest migrations. Raises DatabaseError."""
    command = [sys.executable, "-m", str(__package__), str(store), json.dumps(targets and list(targets))]
    ended = subprocess.run(command, env=_environment(), capture_output=True, text=True)  # noqa: S603 - this program
    if ended.returncode:
        log.error("the migrations of a store file failed:\n%s", ended.stderr)
        raise DatabaseError(ended.stderr.rstrip().rpartition("\n")[2])


def _environment() -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name != "DATABASE_URL_FILE"}
    paths = os.pathsep.join(filter(None, [str(_PROJECT), kept.get("PYTHONPATH")]))
    # The file is opened by its path; the address is there for the engine alone.
    ours = {"DATABASE_URL": IN_MEMORY, "ARCHIVE_HOME": str(settings.DATA_FOLDER.home), "PYTHONPATH": paths}
    return {**kept, **ours, "TZ": settings.TIME_ZONE}
