"""The events that notices report (docs/api.md#notices)."""

from django.utils.translation import gettext_lazy as _

TEST = "test"
SUMMARY = "summary"
# Events of webhooks alone: in the same outbox, but no notices to people.
WEBHOOK, WEBHOOK_TEST = "webhook", "webhook_test"
OF_WEBHOOKS = frozenset({WEBHOOK, WEBHOOK_TEST})
# What a webhook may be sent, by the type of the events, with the field of its row.
COLLECTION, NOTICE = "collection", "notice"
TO_WEBHOOKS = {COLLECTION: "collections", NOTICE: "notices"}
# Somebody waits for them.
TESTS = frozenset({TEST, WEBHOOK_TEST})
# Sent also in quiet hours: somebody waits for it, or a program takes it.
NEVER_QUIET = frozenset({TEST, *OF_WEBHOOKS})
# Periods whose summary an account may choose to be sent.
SUMMARIES = {"week": _("Each week"), "month": _("Each month")}
# Each can be switched off; in the order of the page.
EVENTS = {
    "cookie_ends": _("The cookie ends soon"),
    "cookie_refused": _("The cookie is refused"),
    "collection_failed": _("Collections fail"),
    "days_short": _("Days are about to be lost"),
    "budget": _("A budget's threshold is passed"),
    "spike": _("Far more than usual is spent"),
    "credits_expire": _("Credits end unused soon"),
    "credits_end": _("Credits run out"),
    "second_factor": _("The second factor or the sign-in elsewhere was changed"),
}
EVENTS_OF_ADMINS = {
    "backup_failed": _("The automatic backup failed"),
    "disk_low": _("The disk is nearly full"),
    "scheduler_silent": _("The scheduler was silent"),
    "version_newer": _("The store is not of this version"),
}
TITLES = {**EVENTS, **EVENTS_OF_ADMINS, TEST: _("Test"), SUMMARY: _("Summary")}


def events_of(*, is_admin: bool) -> list[str]:
    """The events about which an account can get notices."""
    return [*EVENTS, *(EVENTS_OF_ADMINS if is_admin else [])]
