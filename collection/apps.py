from django.apps import AppConfig

from archive_site.lib import stored_message
from collection.message_templates import TEMPLATES


class CollectionConfig(AppConfig):
    name = "collection"

    def ready(self) -> None:
        stored_message.declare(TEMPLATES)
