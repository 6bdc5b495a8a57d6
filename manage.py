#!/usr/bin/env python
"""The command line of the service."""

import gc
import os
import sys

from archive_site.client.signals import leave_at_interrupt

if __name__ == "__main__":
    leave_at_interrupt()
    if sys.argv[1:2] == ["up"]:
        # What it loads stays loaded: to look for garbage in it takes a tenth of the start.
        gc.disable()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "archive_site.settings")
    from archive_site.management.run import run

    run(sys.argv)
