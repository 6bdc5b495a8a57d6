from django.apps import AppConfig
from django.db.models.signals import pre_save
from django.utils.translation import gettext_lazy

from accounts.message_templates import TEMPLATES, WORDS
from archive_site.lib import stored_message


class AccountsConfig(AppConfig):
    name = "accounts"
    verbose_name = gettext_lazy("Accounts")

    def ready(self) -> None:
        stored_message.declare(TEMPLATES)
        stored_message.declare_words(WORDS)
        # Its module needs the models.
        from accounts import archives

        pre_save.connect(archives.keep_ids_apart, sender="accounts.Archive")
