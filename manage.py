#!/usr/bin/env python
"""The command line of the service."""

import gc
import os
import sys

from django.core.management import execute_from_command_line

if __name__ == "__main__":
    if sys.argv[1:2] == ["up"]:
        # What it loads stays loaded: to look for garbage in it takes a tenth of the start.
        gc.disable()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "archive_site.settings")
    execute_from_command_line(sys.argv)
