"""Forms of the sign-in pages, and how the settings page groups and shows the registry's keys."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from accounts import config_rules
from accounts.config import KEYS
from accounts.models import EMAIL_LENGTH, NAME_LENGTH
from accounts.registration import clean_email, clean_password, clean_username

# The same for an unknown name and a wrong password: which of them it was is nobody's to know.
WRONG = "User name or password is wrong."
NAME_RULE = "2 to 32 letters, digits, “_”, “.” or “-”. It cannot be changed later."
STRENGTH_RULE = "At least 8 characters of two kinds: lower case, upper case, digits, others."
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
        return super().build_widget_attrs({**attrs, **focus}, widget)


class _PageForm(forms.Form):
    bound_field_class = _FocusedField


def _captcha_field() -> forms.CharField:
    """Shown and checked where the instance asks for it; a picture is of no use to a password manager."""
    attributes = {"autocomplete": "off", "autocapitalize": "characters", "autocorrect": "off", "spellcheck": "false"}
    return forms.CharField(
        label="Characters in the picture",
        required=False,
        help_text=(
            "Upper and lower case are the same. The picture has no spoken form: "
            "if you cannot read it, ask the administrator of this archive to switch it off."
        ),
        widget=_AnswerInput(attributes),
    )


def waiting_time(seconds: int) -> str:
    """A waiting time as a person would say it."""
    if seconds < 90:
        return f"{max(1, seconds)} seconds"
    minutes = -(-seconds // 60)
    return f"{minutes} minutes" if minutes < 120 else f"{-(-minutes // 60)} hours"


class SignInForm(_PageForm):
    username = forms.CharField(label="User name", widget=forms.TextInput(_NAME_ATTRIBUTES))
    password = forms.CharField(
        label="Password", strip=False, widget=forms.PasswordInput({"autocomplete": "current-password"})
    )
    captcha = _captcha_field()

    def refuse(self) -> None:
        """Say that name and password do not fit, without saying which."""
        self.add_error("password", WRONG)


class FirstRunForm(_PageForm):
    """The first administrator: the rules of all accounts, each error at its field (specification 4.5, 5.9)."""

    username = forms.CharField(
        label="User name",
        help_text=NAME_RULE,
        widget=forms.TextInput(_NAME_ATTRIBUTES),
    )
    password = forms.CharField(
        label="Password",
        strip=False,
        help_text=STRENGTH_RULE,
        widget=forms.PasswordInput({"autocomplete": "new-password"}),
    )
    password2 = forms.CharField(
        label="Password again", strip=False, widget=forms.PasswordInput({"autocomplete": "new-password"})
    )
    email = forms.CharField(
        label="Email (optional)",
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
        label="Name shown (optional)",
        required=False,
        widget=forms.TextInput({"autocomplete": "name", "maxlength": NAME_LENGTH}),
    )
    captcha = _captcha_field()
    field_order = ["username", "display_name", "email", "password", "password2", "captcha"]


@dataclass(frozen=True)
class SettingField:
    """One key as the settings page shows it; `kind` is `switch`, `choice`, `number` or `text`."""

    name: str
    label: str
    value: str
    default: str
    accepted: str
    about: str
    kind: str
    choices: list[str]


@dataclass(frozen=True)
class SettingGroup:
    name: str
    title: str
    fields: list[SettingField]


_GROUPS: dict[str, tuple[str, dict[str, str]]] = {
    "collection": (
        "Collection",
        {
            "api_base": "Service",
            "api_path": "Path",
            "ssl_verify": "Check certificate",
            "timeout": "Time limit, seconds",
            "page_size": "Rows per page",
            "max_prompt": "Prompt length kept",
            "rewind_minutes": "Rewind, minutes",
            "verify_days": "Days verified",
            "collect_min_interval_seconds": "Pause between, seconds",
            "collect_max_range_days": "Longest span, days",
        },
    ),
    "schedule": (
        "Schedule",
        {
            "schedule_enabled": "Collect by schedule",
            "schedule_times": "Times",
            "max_schedule_slots_per_day": "Most times a day",
            "drift_tolerance_minutes": "Tolerance, minutes",
            "catch_up": "Catch up",
            "catch_up_grace_hours": "Catch up within, hours",
        },
    ),
    "accounts": (
        "Accounts",
        {
            "allow_register": "Registration open",
            "register_max_per_ip": "Registrations per address",
            "captcha_policy": "Captcha",
            "captcha_length": "Captcha length",
        },
    ),
    "backups": (
        "Backups",
        {
            "backup_enabled": "Back up by schedule",
            "backup_interval_hours": "Interval, hours",
            "backup_keep": "Backups kept",
        },
    ),
}


def setting_groups(values: Mapping[str, str]) -> list[SettingGroup]:
    """The instance's keys with their `values`, grouped for the settings page."""
    return [
        SettingGroup(name, title, [_field(key, label, values[key]) for key, label in labels.items()])
        for name, (title, labels) in _GROUPS.items()
    ]


def _field(name: str, label: str, value: str) -> SettingField:
    key = KEYS[name]
    choices = key.accepted.split(", ") if key.default in key.accepted.split(", ") else []
    if key.normalise is config_rules.boolean:
        kind = "switch"
    elif choices:
        kind = "choice"
    else:
        kind = "number" if key.default.isdigit() else "text"
    return SettingField(name, label, value, key.default, key.accepted, key.about, kind, choices)
