"""Django's development server; in debug mode it listens on loopback addresses only."""

from typing import Any

from django.core.management.base import CommandError
from whitenoise.runserver_nostatic.management.commands import runserver

from archive_site.lib.environment import ConfigurationError
from archive_site.serving.bind_address import Address


class Command(runserver.Command):  # type: ignore[misc]  # whitenoise chooses the base at run time
    def run(self, **options: Any) -> None:
        try:
            Address.parse(f"{self.addr}:{self.port}")
        except ConfigurationError as error:
            raise CommandError(str(error)) from None
        super().run(**options)
