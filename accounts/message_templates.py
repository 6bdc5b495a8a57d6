"""Templates of audit details about accounts and settings, by code."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

TEMPLATES = {
    # Signing in and out.
    "name_unknown": _("unknown name"),
    "password_wrong": _("wrong password"),
    "account_disabled": _("disabled account"),
    "captcha_wrong": pgettext_lazy("detail of a failed sign-in", "captcha"),
    "signed_out_elsewhere": _("other sessions ended: %(count)s"),
    # Accounts.
    "first_administrator_created": _("first administrator created"),
    "administrator_created": _("administrator %(name)s"),
    "user_created": _("user %(name)s"),
    "user_changed": _("%(name)s: %(changes)s"),
    "profile_changed": _("%(changes)s"),
    "user_deleted": _("%(name)s (id %(id)s), data deleted"),
    "user_deleted_data_kept": _("%(name)s (id %(id)s), data kept"),
    "archive_adopted": _("archive adopted: %(count)s records of id %(id)s for %(name)s"),
    # What was changed of an account.
    "display_name": _("display name"),
    "email": _("email"),
    "administrator": _("administrator"),
    "no_administrator": _("no administrator"),
    "active": _("active"),
    "disabled": _("disabled"),
    "password_reset": _("password reset"),
    "language": _("language"),
    "theme": _("theme"),
    # Settings.
    "settings_changed": _("changed %(keys)s"),
    "nothing_changed": _("nothing changed"),
    "settings_rejected": _("%(changed)s; %(errors)s"),
}
