"""Runs on the admin site."""

from django.contrib import admin

from accounts.admin import AccountFilter, OfAccountAdmin
from collection.models import Run


@admin.register(Run)
class RunAdmin(OfAccountAdmin):
    list_display = (
        "id", "account", "kind", "trigger", "status", "started_at", "finished_at", "fetched", "added", "message",
    )  # fmt: skip
    list_filter = (AccountFilter, "status", "kind", "trigger", "created_at")
    search_fields = ("stored_message",)
    ordering = ("-id",)
    fields = (
        "id", "account", "kind", "trigger", "status", "created_at", "started_at", "finished_at", "duration_ms",
        "win_from", "win_to", "fetched", "added", "dup", "conflicts", "total", "exit_code", "message",
        "stop_requested", "detail",
    )  # fmt: skip
