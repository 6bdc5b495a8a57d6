"""Why a notice or an event did not arrive, in words."""

from django.utils.translation import gettext_lazy as _

REASONS = {
    "address": _("the service does not take this address"),
    "failed": _("the receiver failed"),
    "mail": _("the instance has no mail server"),
    "private": _("the host is not public"),
    "redirect": _("the receiver sent us elsewhere"),
    "refused": _("the receiver refused it"),
    "timeout": _("the receiver did not answer in time"),
    "too_long": _("it was too long"),
    "unreachable": _("the receiver cannot be reached"),
    "untrusted": _("the receiver's certificate is not trusted"),
}


def reason_in_words(reason: str) -> str:
    """Why something did not arrive, for people; empty where it did."""
    return str(REASONS.get(reason, ""))
