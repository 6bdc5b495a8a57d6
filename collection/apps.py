from django.apps import AppConfig
from django.utils.translation import gettext_lazy

from archive_site.lib import stored_message
from collection.message_templates import TEMPLATES, WORDS


class CollectionConfig(AppConfig):
    name = "collection"
    verbose_name = gettext_lazy("Collection")

    def ready(self) -> None:
        stored_message.declare(TEMPLATES)
        stored_message.declare_words(WORDS)
        # Its modules need the models of all apps.
        from collection.sources import kinds
        from usage.amounts.words_of_archive import SERVICE, UNIT

        kinds.register()
        stored_message.declare_usual({"service": SERVICE, "unit": UNIT})
