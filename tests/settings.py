"""The project's settings over a data folder of the tests' own, one for each test process."""

import os
import tempfile

_home = tempfile.TemporaryDirectory(prefix="usage-archive-tests-")
for _name in [name for name in os.environ if name.startswith("ARCHIVE_") or name == "REDIS_URL"]:
    del os.environ[_name]
os.environ["ARCHIVE_HOME"] = _home.name
os.environ["TZ"] = "Europe/Berlin"

from archive_site.settings import *  # noqa: E402, F403
from archive_site.settings import DATABASES, STORAGES  # noqa: E402

# Tests run without collectstatic.
STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
# What a test writes need not outlive the machine, so nothing waits for the disk.
DATABASES["default"]["OPTIONS"]["init_command"] += "; PRAGMA synchronous=OFF"
