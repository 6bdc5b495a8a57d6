from django.apps import AppConfig

from archive_site.lib import stored_message
from collection.message_templates import TEMPLATES, WORDS


class CollectionConfig(AppConfig):
    name = "collection"

    def ready(self) -> None:
        stored_message.declare(TEMPLATES)
        stored_message.declare_words(WORDS)
