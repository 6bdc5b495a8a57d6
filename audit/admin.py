"""The audit log on the admin site."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from archive_site.lib.readonly_admin import NamedValues, ReadOnlyAdmin, code
from audit.models import Entry
from audit.words import ACTIONS, actor_in_words


@admin.register(Entry)
class EntryAdmin(ReadOnlyAdmin):
    row, rows = _("entry"), _("entries")
    labels = {
        "at": _("time"), "action": _("action"), "ip": _("address"),
        "user_id": _("account's id"), "uuid": _("id across instances"),
    }  # fmt: skip
    codes = {"action": ACTIONS}
    list_display = ("at", "shown_actor", "shown_action", "shown_detail", "ip")
    list_filter = (("action", NamedValues), "at")
    search_fields = ("actor", "search_text", "ip")
    ordering = ("-id",)
    fields = ("id", "uuid", "at", "shown_actor", "shown_action", "shown_detail", "ip", "user_id")

    shown_action = code("action", _("action"))

    @admin.display(description=_("by"), ordering="actor")
    def shown_actor(self, entry: Entry) -> str:
        return actor_in_words(entry.actor, entry.ip)

    @admin.display(description=_("details"))
    def shown_detail(self, entry: Entry) -> str:
        return entry.detail
