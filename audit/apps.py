from django.apps import AppConfig
from django.utils.translation import gettext_lazy

from archive_site.lib import stored_message
from audit.message_templates import TEMPLATES


class AuditConfig(AppConfig):
    name = "audit"
    verbose_name = gettext_lazy("Audit log")

    def ready(self) -> None:
        stored_message.declare(TEMPLATES)
