"""Django's development server, held to the rule of debug mode: this machine only (specification 8)."""

from typing import Any

from django.core.management.base import CommandError
from whitenoise.runserver_nostatic.management.commands import runserver

from archive_site.lib.environment import ConfigurationError
from archive_site.serving.supervisor import Address


class Command(runserver.Command):  # type: ignore[misc]  # chosen by whitenoise as it runs
    def run(self, **options: Any) -> None:
        try:
            Address.parse(f"{self.addr}:{self.port}")
        except ConfigurationError as error:
            raise CommandError(str(error)) from None
        super().run(**options)
