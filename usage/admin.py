"""Records on the admin site: the figures only, no prompt."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from accounts.admin import ArchiveFilter, OfArchiveAdmin
from archive_site.lib.readonly_admin import BOOLEAN, code
from usage.amounts.unit_of_archive import unit_of
from usage.models import Record


@admin.register(Record)
class RecordAdmin(OfArchiveAdmin):
    row, rows = _("record"), _("records")
    labels = {
        "request_id": _("id"), "model": _("model"), "client": _("client"), "ts": _("time"),
        "agent_purpose": _("purpose"),
        "first_seen_at": _("archived"), "updated_at": _("updated"),
        "run_id": _("run"),
    }  # fmt: skip
    codes = {"prompt_truncated": BOOLEAN}
    list_display = ("request_id", "account", "ts", "model", "client", "shown_credits", "updated_at")
    list_filter = (ArchiveFilter,)
    search_fields = ("request_id", "model", "client", "ts")
    # Only by arrival: sorting a large archive by another column would take too long.
    ordering = ("-id",)
    sortable_by = ()
    fields = (
        "account", "request_id", "shown_credits", "model", "client", "ts", "agent_purpose", "shown_prompt_truncated",
        "first_seen_at", "updated_at", "run_id",
    )  # fmt: skip

    shown_prompt_truncated = code("prompt_truncated", _("prompt cut off"))

    @admin.display(description=pgettext_lazy("column", "credits"))
    def shown_credits(self, record: Record) -> str:
        unit = unit_of(record.archive_id)
        return f"{unit.number(record.credits):,.{unit.digits}f}"
