"""The project's settings, but for limits by the clock of the machine, which may be busy: tests of these set them."""

from archive_site.settings import *  # noqa: F403

READ_SECONDS = SLOW_READ_SECONDS = THIRD_SLOW_READ_SECONDS = 100.0
