from django.apps import AppConfig
from django.utils.translation import gettext_lazy

from archive_site.lib import stored_message
from usage.message_templates import TEMPLATES, WORDS


class UsageConfig(AppConfig):
    name = "usage"
    verbose_name = gettext_lazy("Usage")

    def ready(self) -> None:
        stored_message.declare(TEMPLATES)
        stored_message.declare_words(WORDS)
