"""What actions, and actors that are no accounts, are called in lists of the audit log."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

ACTIONS = {
    "login": _("Signed in"),
    "login_failed": _("Sign-in failed"),
    "logout": _("Signed out"),
    "reauthenticate": _("Password given again"),
    "reauthenticate_failed": _("Password check failed"),
    "register": _("Registered"),
    "first_run": _("First administrator created"),
    "collect": _("Collected"),
    "collect_failed": _("Collection failed"),
    "verify": pgettext_lazy("action in the audit log", "Days verified"),
    "verify_failed": _("Verification failed"),
    "import": _("Imported"),
    "import_failed": _("Import failed"),
    "export": _("Exported"),
    "settings": _("Settings changed"),
    "settings_rejected": _("Settings refused"),
    "password": _("Password changed"),
    "password_failed": _("Password change failed"),
    "profile": _("Profile changed"),
    "notify": _("Notices"),
    "second_factor": _("Second factor"),
    "identity": _("Sign-in elsewhere"),
    "privacy": _("Privacy of prompts"),
    "retention": pgettext_lazy("how long calls and prompts are kept", "Retention"),
    "user_create": _("Account created"),
    "user_update": _("Account changed"),
    "user_delete": _("Account deleted"),
    "invitation_create": _("Invitation created"),
    "invitation_use": _("Invitation used"),
    "invitation_revoke": _("Invitation revoked"),
    "maintenance:fill-prompt": _("Prompts filled"),
    "maintenance:export-csv": _("Exported to a file"),
    "maintenance:vacuum": _("Store compacted"),
    "maintenance:recount": _("Recounted"),
    "backup_create": _("Backup created"),
    "backup_download": _("Backup downloaded"),
    "backup_restore": pgettext_lazy("action in the audit log", "Backup restored"),
    "backup_delete": _("Backup deleted"),
    "backup_prune": _("Backups pruned"),
    "key_replace": _("Key replaced"),
    "token_create": _("Token created"),
    "token_revoke": _("Token revoked"),
    "archive_create": _("Archive created"),
    "archive_change": _("Archive changed"),
    "archive_delete": _("Archive deleted"),
    "webhook_create": _("Webhook created"),
    "webhook_change": _("Webhook changed"),
    "webhook_delete": _("Webhook deleted"),
}
ACTORS = {
    "scheduler": _("scheduler"),
    "command line": _("command line"),
    "notices": pgettext_lazy("actor in the audit log", "notices"),
}


def action_in_words(action: str) -> str:
    return str(ACTIONS.get(action, action))


def actor_in_words(actor: str, ip: str) -> str:
    """The actor's name. Entries of `ACTORS` have no address, those of an account with such a name have one."""
    return actor if ip else str(ACTORS.get(actor, actor))
