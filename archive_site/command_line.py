"""The command of the installed package: `usage-archive manage …` is `manage.py …`, all else the client of the API."""

import os
import sys

from archive_site.client.signals import hear_interrupts, leave_at_interrupt


def main() -> None:
    """Run a command of `manage.py`, or a verb of the client. Neither loads what only the other one needs."""
    leave_at_interrupt()
    if sys.argv[1:2] == ["manage"]:
        from archive_site.management.run import run

        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "archive_site.settings")
        run([f"{sys.argv[0]} manage", *sys.argv[2:]])
        return
    hear_interrupts()
    from archive_site.client.main import main as client

    sys.exit(client(sys.argv[1:]))


if __name__ == "__main__":
    main()
