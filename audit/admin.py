"""The audit log on the admin site."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from archive_site.lib.readonly_admin import ReadOnlyAdmin
from audit.models import Entry


@admin.register(Entry)
class EntryAdmin(ReadOnlyAdmin):
    row, rows = _("entry"), _("entries")
    labels = {
        "at": _("time"), "actor": _("by"), "action": _("action"), "ip": _("address"),
        "user_id": _("account's id"), "uuid": _("id across instances"),
    }  # fmt: skip
    list_display = ("at", "actor", "action", "shown_detail", "ip")
    list_filter = ("action", "at")
    search_fields = ("actor", "search_text", "ip")
    ordering = ("-id",)
    fields = ("id", "uuid", "at", "actor", "action", "shown_detail", "ip", "user_id")

    @admin.display(description=_("details"))
    def shown_detail(self, entry: Entry) -> str:
        return entry.detail
