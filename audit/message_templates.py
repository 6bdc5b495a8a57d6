"""The texts of entries that the audit log itself adds, by code."""

from django.utils.translation import gettext_lazy as _

TEMPLATES = {
    "more_in_hour": _("and %(count)s more in this hour"),
}
