"""The texts of the ingest and of exports in runs and audit entries, by code."""

from django.utils.translation import gettext_lazy as _

TEMPLATES = {
    # Lines of a run.
    "conflict": _("conflict %(request)s: %(differences)s"),
    "credits_were": _("credits were %(credits)s"),
    "value_was": _("%(name)s was %(value)s"),
    # The audit of an export.
    "records_exported": _("%(first)s to %(last)s, %(order)s"),
    "records_exported_by": _("%(first)s to %(last)s, %(order)s, %(filters)s"),
    "export_from_start": _("the first day"),
    "export_to_end": _("the last"),
    "export_filter": _("by %(name)s"),
}
