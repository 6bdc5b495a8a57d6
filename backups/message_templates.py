"""The texts of audit entries about backups, by code."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

TEMPLATES = {
    "backup_made": _("%(name)s (%(size)s, %(accounts)s, %(records)s)"),
    "backup_noted": _("%(made)s, note: %(note)s"),
    "backup_made_others_removed": _("%(made)s; removed %(names)s"),
    "backup_failed": _("failed: %(reason)s"),
    "backups_removed": _("Removed %(names)s."),
    "no_backup_removed": _("Nothing to prune."),
    "restored_without_key": _("%(name)s, without its key"),
    # `number` selects the form, `count` is shown.
    "accounts_counted": ngettext_lazy("%(count)s account", "%(count)s accounts", "number"),
    "records_counted": ngettext_lazy("%(count)s record", "%(count)s records", "number"),
}
