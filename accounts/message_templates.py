"""Templates of audit details about accounts and settings, by code."""

from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy, pgettext_lazy

from accounts.delivery import events
from accounts.notices import texts

TEMPLATES = {
    **texts.TEMPLATES,
    # Signing in and out.
    "name_unknown": _("unknown name"),
    "password_wrong": _("wrong password"),
    "account_disabled": _("disabled account"),
    "captcha_wrong": pgettext_lazy("detail of a failed sign-in", "captcha"),
    "signed_out_elsewhere": _("other sessions ended: %(count)s"),
    "code_wrong": _("wrong or used code"),
    "password_off": _("passwords are off"),
    "openid_failed": _("sign-in elsewhere failed"),
    "openid_unknown": _("no account of this person"),
    "identity_linked": _("%(name)s signs in elsewhere, too"),
    "identity_unlinked": _("%(name)s no longer signs in elsewhere"),
    "passkey_wrong": _("passkey not accepted"),
    "recovery_code_used": _("recovery code used, left: %(left)s"),
    "factor_codes_set": _("codes of an authenticator app set up"),
    "factor_codes_removed": _("codes removed"),
    "recovery_codes_renewed": _("new recovery codes"),
    "passkey_added": _("passkey %(name)s added"),
    "passkey_removed": _("passkey %(name)s removed"),
    "passkeys_alone": _("a passkey signs in alone"),
    "passkeys_not_alone": _("a passkey signs in after the password"),
    "second_factor_reset": _("second factor of %(name)s removed"),
    # Accounts.
    "first_administrator_created": _("first administrator created"),
    "administrator_created": _("administrator %(name)s"),
    "user_created": _("user %(name)s"),
    "user_changed": _("%(name)s: %(changes)s"),
    "profile_changed": _("%(changes)s"),
    "user_deleted": _("%(name)s (id %(id)s), data deleted"),
    "archive_named": _("%(label)s (%(kind)s, id %(id)s)"),
    "user_deleted_data_kept": _("%(name)s (id %(id)s), data kept"),
    "archive_adopted": ngettext_lazy(
        "archive adopted: %(count)s record of id %(id)s for %(name)s",
        "archive adopted: %(count)s records of id %(id)s for %(name)s",
        "count",
    ),
    "archive_adopted_without": ngettext_lazy(
        "%(adopted)s, without the sums of %(count)s erased day",
        "%(adopted)s, without the sums of %(count)s erased days",
        "count",
    ),
    "invitation": _("invitation %(id)s"),
    "invitation_named": _("invitation %(id)s for %(name)s"),
    "token": _("token %(id)s, %(name)s: %(scopes)s"),
    "webhook": _("webhook %(id)s"),
    "tokens_ended": _("tokens ended: %(count)s"),
    "password_mistyped": _("after wrong tries: %(count)s"),
    # Keys of the instance.
    "instance_key_replaced": _("new instance key; cookies to be pasted again: %(count)s"),
    "secret_key_replaced": _("new secret key; everybody signs in again"),
    "other_key_found": _("another instance key was put in place; cookies of the previous one are unreadable"),
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
    "settings_rejected_more": ngettext_lazy(
        "%(changed)s; %(count)s more error",
        "%(changed)s; %(count)s more errors",
        "count",
    ),
    # Why a setting was refused. A reason follows the name of its key.
    "setting_refused": _("%(name)s %(reason)s"),
    "setting_unknown": _("'%(name)s' is not a setting."),
    "more_settings_unknown": ngettext_lazy(
        "%(count)s more key is not a setting.",
        "%(count)s more keys are not settings.",
        "count",
    ),
    "settings_for_administrators": _("Only an administrator may change %(names)s."),
    "not_a_plain_value": _("must be a text, a number or a boolean."),
    "not_a_whole_number": _("must be a whole number from %(least)s to %(most)s."),
    "not_one_of": _("must be one of %(words)s."),
    "not_a_switch": _("must be 1 or 0 (true, false, on, off, yes and no are accepted too)."),
    "not_times_of_day": _("must be times of day as HH:MM from 00:00 to 23:59, separated by commas."),
    "too_many_times": _("would have %(times)s times, but %(key)s would allow only %(slots)s."),
    "not_an_origin": _(
        "must be an https origin such as https://www.example.com (http for this machine only), without path or query."
    ),
    "not_a_path": _("must start with /, be printable, contain no '..' and have at most %(most)s characters."),
    "not_a_user_agent": _("must be at most %(most)s printable Latin-1 characters."),
    "cookie_too_long": _("must be at most %(most)s characters long; this one has %(length)s."),
    "cookie_not_printable": _("must be printable Latin-1 characters without a line break."),
    "cookie_shortened": _(
        "must be printable Latin-1 characters without a line break."
        " The copied text is shortened: it contains an ellipsis."
    ),
    "pasted_text_too_long": _("must have at most %(most)s characters as pasted; this text has %(length)s."),
    "pasted_text_without_cookie": _(
        "is missing in the pasted text, or the text is cut off. Copy a request from a page where you are signed in."
        " These forms are read: a cookie or Cookie header; cURL (bash, cmd, PowerShell); PowerShell; fetch (Node.js);"
        " request headers; HAR with sensitive data; cookies.txt; JSON of a cookie extension (Cookie-Editor,"
        " EditThisCookie); wget; HTTPie."
    ),
    "pasted_text_cut_off": _("is cut off in the pasted text; copy all of it again."),
}

WORDS = {("notices_changed", "keys"): texts.CHANGES, ("notice_sent", "event"): events.TITLES}
