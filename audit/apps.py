from django.apps import AppConfig

from archive_site.lib import stored_message
from audit.message_templates import TEMPLATES


class AuditConfig(AppConfig):
    name = "audit"
    verbose_name = "Audit log"

    def ready(self) -> None:
        stored_message.declare(TEMPLATES)
