"""List the accounts."""

from typing import Any

from accounts.models import User
from archive_site.lib import clock
from archive_site.lib.commands import ArchiveCommand


class Command(ArchiveCommand):
    help = "List the accounts: id, name, role, state, last sign-in."

    def run(self, *args: Any, **options: Any) -> None:
        for user in User.objects.order_by("pk"):
            last = clock.local_text(user.last_login_at) or "never"
            self.stdout.write(f"{user.pk}\t{user.username}\t{user.role}\t{user.status}\t{last}")
