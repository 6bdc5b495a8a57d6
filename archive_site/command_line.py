"""The command of the installed package: `usage-archive manage …` is `manage.py …`."""

import os
import sys

from django.core.management import execute_from_command_line

USAGE = """\
usage: usage-archive manage COMMAND [OPTIONS]

'usage-archive manage up' serves the instance, 'usage-archive manage help' lists the commands.
"""


def main() -> None:
    """Run a command of `manage.py`; other first words are kept for later."""
    if sys.argv[1:2] != ["manage"]:
        sys.stderr.write(USAGE)
        sys.exit(2)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "archive_site.settings")
    execute_from_command_line([f"{sys.argv[0]} manage", *sys.argv[2:]])
