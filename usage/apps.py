from django.apps import AppConfig

from archive_site.lib import stored_message
from usage.message_templates import TEMPLATES


class UsageConfig(AppConfig):
    name = "usage"

    def ready(self) -> None:
        stored_message.declare(TEMPLATES)
