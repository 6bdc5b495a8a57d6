"""The audit log on the admin site."""

from django.contrib import admin

from archive_site.lib.readonly_admin import ReadOnlyAdmin
from audit.models import Entry


@admin.register(Entry)
class EntryAdmin(ReadOnlyAdmin):
    list_display = ("at", "actor", "action", "detail", "ip")
    list_filter = ("action", "at")
    search_fields = ("actor", "detail", "ip")
    ordering = ("-id",)
