"""Long trials, each a program that fails on any deviation: `make soak`."""

import os
import sys

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()


def say(line: str) -> None:
    """Print a line and flush it, also into a pipe."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
