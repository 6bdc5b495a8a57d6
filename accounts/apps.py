from django.apps import AppConfig

from accounts.message_templates import TEMPLATES
from archive_site.lib import stored_message


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        stored_message.declare(TEMPLATES)
