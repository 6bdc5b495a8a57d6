"""Runs on the admin site."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from accounts.admin import ArchiveFilter, OfArchiveAdmin
from archive_site.lib.readonly_admin import BOOLEAN, NamedChoices, code, count
from collection.models import Run


@admin.register(Run)
class RunAdmin(OfArchiveAdmin):
    row, rows = _("run"), _("runs")
    labels = {
        "created_at": _("created"), "started_at": _("started"), "finished_at": _("ended"),
        "win_from": _("from"), "win_to": _("to"), "exit_code": _("exit code"), "kind": _("kind"),
        "trigger": _("started by"), "status": _("status"),
    }  # fmt: skip
    codes = {
        "kind": {
            "collection": _("collection"), "older": _("older calls"), "verification": _("verification"),
            "import": _("import"),
        },
        "trigger": {
            "manual": _("by hand"), "schedule": _("schedule"), "startup": _("start of the service"),
            "cli": _("command line"), "imported": _("from a file"),
        },
        "status": {
            "queued": _("waiting"), "running": _("running"), "ok": _("done"), "failed": _("failed"),
            "interrupted": _("interrupted"),
        },
        "stop_requested": BOOLEAN,
    }  # fmt: skip
    list_display = (
        "id", "account", "shown_kind", "shown_trigger", "shown_status", "started_at", "finished_at", "shown_fetched",
        "shown_added", "shown_message",
    )  # fmt: skip
    list_filter = (
        ArchiveFilter, ("status", NamedChoices), ("kind", NamedChoices), ("trigger", NamedChoices), "created_at",
    )  # fmt: skip
    search_fields = ("stored_message",)
    ordering = ("-id",)
    fields = (
        "id", "account", "shown_kind", "shown_trigger", "shown_status", "created_at", "started_at", "finished_at",
        "shown_duration_ms", "win_from", "win_to", "shown_fetched", "shown_added", "shown_dup", "shown_conflicts",
        "shown_total", "exit_code", "shown_message", "shown_stop_requested", "shown_detail",
    )  # fmt: skip

    shown_kind = code("kind", _("kind"))
    shown_trigger = code("trigger", _("started by"))
    shown_status = code("status", _("status"))
    shown_duration_ms = count("duration_ms", _("milliseconds"))
    shown_fetched = count("fetched", _("fetched"))
    shown_added = count("added", _("new"))
    shown_dup = count("dup", _("already known"))
    shown_conflicts = count("conflicts", _("changed"))
    shown_total = count("total", _("total"))
    shown_stop_requested = code("stop_requested", _("stop requested"))

    @admin.display(description=_("message"))
    def shown_message(self, run: Run) -> str:
        return run.message

    @admin.display(description=_("details"))
    def shown_detail(self, run: Run) -> str:
        return run.detail
