from django.apps import AppConfig

from archive_site.lib import stored_message
from backups.stored_messages import TEMPLATES


class BackupsConfig(AppConfig):
    name = "backups"

    def ready(self) -> None:
        stored_message.declare(TEMPLATES)
