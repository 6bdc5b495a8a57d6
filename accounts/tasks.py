"""The task of the queue that sends notices."""

from accounts.delivery import outbox
from archive_site.lib.locks.write_freeze import leaves_off

SEND = "accounts.tasks.send_notices"


@leaves_off
def send_notices() -> None:
    """Send what is due, for less than a minute."""
    outbox.send_due()
