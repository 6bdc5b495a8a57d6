from django.apps import AppConfig

from archive_site.lib import stored_message
from backups.message_templates import TEMPLATES


class BackupsConfig(AppConfig):
    name = "backups"

    def ready(self) -> None:
        stored_message.declare(TEMPLATES)
