"""Forms of the sign-in pages, and how the settings page groups and shows the registry's keys."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext, gettext_noop, ngettext
from django.utils.translation import gettext_lazy as _

from accounts import config_rules
from accounts.account_creation import clean_email, clean_password, clean_username
from accounts.config import KEYS, Key
from accounts.models import EMAIL_LENGTH, NAME_LENGTH
from archive_site.lib.i18n import Words

# The same for an unknown name and a wrong password: which of them it was is nobody's to know.
WRONG = gettext_noop("User name or password is wrong.")
NAME_RULE = _("2 to 32 letters, digits, “_”, “.” or “-”. It cannot be changed later.")
STRENGTH_RULE = _("At least 8 characters of two kinds: lower case, upper case, digits, others.")
_NAME_ATTRIBUTES = {"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}


class _AnswerInput(forms.TextInput):
    """Always empty: any check uses the picture up, so what was typed is of no use to the next one."""

    def format_value(self, value: Any) -> str | None:
        return None


class _FocusedField(forms.BoundField):
    """The first field with an error has the focus, or the first field."""

    def build_widget_attrs(self, attrs: dict[str, Any], widget: forms.Widget | None = None) -> dict[str, Any]:
        names = list(self.form.fields)
        focused = next((name for name in names if name in self.form.errors), names[0])
        focus = {"autofocus": True} if self.name == focused else {}
        return super().build_widget_attrs({**attrs, **focus, "class": "form-control"}, widget)


class _PageForm(forms.Form):
    bound_field_class = _FocusedField


def _captcha_field() -> forms.CharField:
    """Shown and checked where the instance asks for it; a picture is of no use to a password manager."""
    attributes = {"autocomplete": "off", "autocapitalize": "characters", "autocorrect": "off", "spellcheck": "false"}
    return forms.CharField(
        label=_("Characters in the picture"),
        required=False,
        help_text=_(
            "Upper and lower case are the same. The picture has no spoken form: "
            "if you cannot read it, ask the administrator of this archive to switch it off."
        ),
        widget=_AnswerInput(attributes),
    )


def waiting_time(seconds: int) -> str:
    """A waiting time as a person would say it."""
    if seconds < 90:
        count = max(1, seconds)
        return ngettext("%(count)s second", "%(count)s seconds", count) % {"count": count}
    minutes = -(-seconds // 60)
    if minutes < 120:
        return gettext("%(count)s minutes") % {"count": minutes}
    return gettext("%(count)s hours") % {"count": -(-minutes // 60)}


class SignInForm(_PageForm):
    username = forms.CharField(label=_("User name"), widget=forms.TextInput(_NAME_ATTRIBUTES))
    password = forms.CharField(
        label=_("Password"), strip=False, widget=forms.PasswordInput({"autocomplete": "current-password"})
    )
    captcha = _captcha_field()

    def refuse(self) -> None:
        """Say that name and password do not fit, without saying which."""
        self.add_error("password", gettext(WRONG))


class FirstRunForm(_PageForm):
    """The first administrator: the rules of all accounts, each error at its field (specification 4.5, 5.9)."""

    username = forms.CharField(
        label=_("User name"),
        help_text=NAME_RULE,
        widget=forms.TextInput(_NAME_ATTRIBUTES),
    )
    password = forms.CharField(
        label=_("Password"),
        strip=False,
        help_text=STRENGTH_RULE,
        widget=forms.PasswordInput({"autocomplete": "new-password"}),
    )
    password2 = forms.CharField(
        label=_("Password again"), strip=False, widget=forms.PasswordInput({"autocomplete": "new-password"})
    )
    email = forms.CharField(
        label=_("Email (optional)"),
        required=False,
        widget=forms.TextInput({"autocomplete": "email", "inputmode": "email", "maxlength": EMAIL_LENGTH}),
    )

    def clean_username(self) -> str:
        return clean_username(self.cleaned_data["username"])

    def clean_email(self) -> str:
        return clean_email(self.cleaned_data["email"]) or ""

    def clean(self) -> dict[str, Any]:
        fields = self.cleaned_data
        if "password" in fields and "password2" in fields:
            try:
                clean_password(fields["password"], fields["password2"])
            except ValidationError as error:
                self.add_error("password2" if fields["password"] != fields["password2"] else "password", error)
        return fields


class RegistrationForm(FirstRunForm):
    """An account of one's own (specification 5.8)."""

    display_name = forms.CharField(
        label=_("Name shown (optional)"),
        required=False,
        widget=forms.TextInput({"autocomplete": "name", "maxlength": NAME_LENGTH}),
    )
    captcha = _captcha_field()
    field_order = ["username", "display_name", "email", "password", "password2", "captcha"]


@dataclass(frozen=True)
class SettingField:
    """One key as the settings page shows it; `kind` is `switch`, `choice`, `times`, `number` or `text`.

    `choices` are the values of a choice with their words; its default is told in these, too.
    """

    name: str
    label: Words
    value: str
    default: Words
    accepted: Words
    about: Words
    kind: str
    choices: dict[str, Words]


@dataclass(frozen=True)
class SettingGroup:
    name: str
    title: Words
    fields: list[SettingField]


_GROUPS: dict[str, tuple[Words, dict[str, Words]]] = {
    "collection": (
        _("Collection"),
        {
            "api_base": _("Service"),
            "api_path": _("Path"),
            "ssl_verify": _("Check certificate"),
            "timeout": _("Time limit, seconds"),
            "page_size": _("Rows per page"),
            "max_prompt": _("Prompt length kept"),
            "rewind_minutes": _("Rewind, minutes"),
            "verify_days": _("Days verified"),
            "collect_min_interval_seconds": _("Pause between, seconds"),
            "collect_max_range_days": _("Longest span, days"),
        },
    ),
    "schedule": (
        _("Schedule"),
        {
            "schedule_enabled": _("Collect by schedule"),
            "schedule_times": _("Times"),
            "max_schedule_slots_per_day": _("Most times a day"),
            "drift_tolerance_minutes": _("Tolerance, minutes"),
            "catch_up": _("Catch up"),
            "catch_up_grace_hours": _("Catch up within, hours"),
        },
    ),
    "accounts": (
        _("Accounts"),
        {
            "allow_register": _("Registration open"),
            "register_max_per_ip": _("Registrations per address"),
            "captcha_policy": _("Captcha"),
            "captcha_length": _("Captcha length"),
        },
    ),
    "backups": (
        _("Backups"),
        {
            "backup_enabled": _("Back up by schedule"),
            "backup_interval_hours": _("Interval, hours"),
            "backup_keep": _("Backups kept"),
        },
    ),
}

_CHOICES: dict[str, dict[str, Words]] = {
    "captcha_policy": {"always": _("Always"), "on_failure": _("After a failed sign-in"), "off": _("Never")},
}


def setting_groups(values: Mapping[str, str]) -> list[SettingGroup]:
    """The instance's keys with their `values`, grouped for the settings page."""
    return [
        SettingGroup(name, title, [_field(key, label, values[key]) for key, label in labels.items()])
        for name, (title, labels) in _GROUPS.items()
    ]


def _field(name: str, label: Words, value: str) -> SettingField:
    key = KEYS[name]
    choices = {choice: _CHOICES[name][choice] for choice in key.choices}
    # A list is read with blanks between.
    default = choices.get(key.default, key.default.replace(",", ", "))
    return SettingField(name, label, value, default, key.accepted, key.about, _kind(key), choices)


def _kind(key: Key) -> str:
    if key.choices:
        return "choice"
    if key.normalise is config_rules.boolean:
        return "switch"
    if key.normalise is config_rules.times_of_day:
        return "times"
    return "number" if key.default.isdigit() else "text"
