"""The project's settings over a data folder of the tests' own, one for each test process.

The store is an SQLite file there; `python -m tests.postgres` names servers to use instead.
"""

import os
import tempfile
from pathlib import Path

from archive_site import keys_at_start
from archive_site.lib.storage.data_folder import prepare

_home = tempfile.TemporaryDirectory(prefix="usage-archive-tests-")
_OF_SERVERS = {"DATABASE_URL", "REDIS_URL"}
for _name in [name for name in os.environ if name.startswith("ARCHIVE_") or name in _OF_SERVERS]:
    del os.environ[_name]
os.environ["ARCHIVE_HOME"] = _home.name
os.environ["TZ"] = "Europe/Berlin"
if "TESTS_DATABASE_URL" in os.environ:
    # Tests use the keys without opening the store, which creates them there.
    keys_at_start.provide(prepare(Path(_home.name)), None)
    os.environ["DATABASE_URL"] = os.environ["TESTS_DATABASE_URL"]
    # Each process of tests empties its counters after each test: none may empty those of another.
    _number = 1 + int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    os.environ["REDIS_URL"] = f"{os.environ['TESTS_REDIS_URL']}?db={_number}"

from tests.patient_settings import *  # noqa: E402, F403
from tests.patient_settings import DATABASES, STORAGES  # noqa: E402

# Processes that a test starts have stores of their own.
for _name in _OF_SERVERS:
    os.environ.pop(_name, None)
# Tests run without collectstatic.
STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
# What a test writes need not outlive the machine, so nothing waits for the disk.
if "init_command" in DATABASES["default"].get("OPTIONS", {}):
    DATABASES["default"]["OPTIONS"]["init_command"] += "; PRAGMA synchronous=OFF"
    # One connection runs the statements of all tests, and prepares each of them once.
    DATABASES["default"]["OPTIONS"]["cached_statements"] = 1_000
