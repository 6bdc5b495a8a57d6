"""The project's settings over a data folder of the tests' own, one for each test process."""

import os
import tempfile

_home = tempfile.TemporaryDirectory(prefix="usage-archive-tests-")
for _name in [name for name in os.environ if name.startswith("ARCHIVE_") or name == "REDIS_URL"]:
    del os.environ[_name]
os.environ["ARCHIVE_HOME"] = _home.name
os.environ["TZ"] = "Europe/Berlin"

from archive_site.settings import *  # noqa: E402, F403
from archive_site.settings import STORAGES  # noqa: E402

# Tests run without collectstatic.
STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}
