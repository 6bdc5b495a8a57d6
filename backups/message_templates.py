"""The texts of audit entries about backups, by code."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

TEMPLATES = {
    "backup_made": _("%(name)s (%(size)s, %(accounts)s, %(records)s)"),
    "backup_noted": _("%(made)s, note: %(note)s"),
    "backup_made_others_removed": _("%(made)s; removed %(names)s"),
    "backup_failed": _("failed: %(reason)s"),
    # Why no backup was created, deleted or read.
    "store_locked": _("The store is locked by another program; no backup was created."),
    "store_damaged": _("The store is damaged, so no backup is created: %(reason)s"),
    "backup_needs_room": _("Creating a backup needs %(needed)s of free disk space; %(free)s are free."),
    "no_backup_created": _("No backup was created"),
    "backup_unreadable": _("%(name)s cannot be read"),
    "backup_not_checked": _("%(name)s could not be checked"),
    "backup_not_restored": _("%(name)s was not restored"),
    "backup_not_copied": _("%(name)s was not copied"),
    "backup_not_deleted": _("%(name)s was not deleted"),
    "disk_failure": _("%(what)s: %(reason)s."),
    "backup_disk_full": _("the disk is full"),
    "backups_removed": _("Removed %(names)s."),
    "no_backup_removed": _("Nothing to prune."),
    "restored_without_key": _("%(name)s, without its key"),
    # `number` selects the form, `count` is shown.
    "accounts_counted": ngettext_lazy("%(count)s account", "%(count)s accounts", "number"),
    "records_counted": ngettext_lazy("%(count)s record", "%(count)s records", "number"),
}
