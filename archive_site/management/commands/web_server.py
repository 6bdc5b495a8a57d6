"""The web server alone, as `up` starts it."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from archive_site.serving.web_server import serve


class Command(BaseCommand):
    help = "Serve the pages only; 'up' starts this process and looks after it."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("host")
        parser.add_argument("port", type=int)

    def handle(self, *args: Any, host: str, port: int, **options: Any) -> None:
        # Loading it takes the better part of the start.
        from archive_site.wsgi import application

        serve(application, host, port)
