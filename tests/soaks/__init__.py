"""Long trials, each a program that fails if anything is not as it should be: `make soak`."""

import os
import sys

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()


def say(line: str) -> None:
    """Tell a line at once, also into a pipe."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
