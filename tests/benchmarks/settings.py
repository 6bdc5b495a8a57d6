"""The project's settings with bare views to measure against, and without the limit of reads."""

from archive_site.settings import *  # noqa: F403

ROOT_URLCONF = "tests.benchmarks.urls"
RATELIMIT_ENABLE = False
