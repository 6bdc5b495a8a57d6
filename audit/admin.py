"""The audit log on the admin site."""

from django.contrib import admin

from archive_site.lib.readonly_admin import ReadOnlyAdmin
from audit.models import Entry


@admin.register(Entry)
class EntryAdmin(ReadOnlyAdmin):
    list_display = ("at", "actor", "action", "detail", "ip")
    list_filter = ("action", "at")
    search_fields = ("actor", "search_text", "ip")
    ordering = ("-id",)
    fields = ("id", "uuid", "at", "actor", "action", "detail", "ip", "user_id")
