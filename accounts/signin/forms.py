"""Forms of the sign-in pages."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.core.validators import ProhibitNullCharactersValidator
from django.http import QueryDict
from django.utils.functional import lazy
from django.utils.translation import gettext, gettext_noop, ngettext
from django.utils.translation import gettext_lazy as _

from accounts.account_creation import clean_display_name, clean_email, clean_password, clean_username
from accounts.models import EMAIL_LENGTH, NAME_LENGTH, Invitation
from accounts.passwords import password_warnings
from accounts.signin.throttling import TooManyFailures

WRONG_CODE = gettext_noop("The code is wrong or was used before.")
# The same text for an unknown name and a wrong password, so that visitors cannot find out names.
WRONG = gettext_noop("User name or password is wrong.")
NAME_RULE = _("2 to 32 letters, digits, “_”, “.” or “-”. It cannot be changed later.")
_NAME_ATTRIBUTES = {"autocomplete": "username", "autocapitalize": "none", "spellcheck": "false"}


def _strength_rule() -> str:
    words = gettext("At least %(least)s characters of two kinds: lower case, upper case, digits, others.")
    return words % {"least": password_warnings.least_length()}


STRENGTH_RULE = lazy(_strength_rule, str)()


class _AnswerInput(forms.TextInput):
    """Always empty: any check uses the picture up, so the typed answer does not fit the next one."""

    def format_value(self, value: Any) -> str | None:
        return None


class _FocusedField(forms.BoundField):
    """The first field with an error gets the focus, else the first field."""

    def build_widget_attrs(self, attrs: dict[str, Any], widget: forms.Widget | None = None) -> dict[str, Any]:
        names = [name for name, field in self.form.fields.items() if not field.widget.attrs.get("readonly")]
        focused = next((name for name in names if name in self.form.errors), names[0])
        focus = {"autofocus": True} if self.name == focused else {}
        return super().build_widget_attrs({**attrs, **focus, "class": "form-control"}, widget)


class _PageForm(forms.Form):
    bound_field_class = _FocusedField


class _AnyPassword(forms.CharField):
    """A password to be checked: one with a NUL is wrong like others, unless it was set before that was refused."""

    def __init__(self, **options: Any) -> None:
        super().__init__(strip=False, **options)
        self.validators = [each for each in self.validators if not isinstance(each, ProhibitNullCharactersValidator)]


def _captcha_field() -> forms.CharField:
    """The answer to a captcha. Pages show and check it only where the instance requires one."""
    attributes = {"autocomplete": "off", "autocapitalize": "characters", "autocorrect": "off", "spellcheck": "false"}
    return forms.CharField(
        label=_("Characters in the picture"),
        required=False,
        help_text=_(
            "The answer is not case-sensitive. The picture has no audio form: "
            "if you cannot read it, ask the administrator of this instance to turn the captcha off."
        ),
        widget=_AnswerInput(attributes),
    )


def waiting_time(seconds: int) -> str:
    """A waiting time in words, rounded up."""
    if seconds < 90:
        count = max(1, seconds)
        return ngettext("%(count)s second", "%(count)s seconds", count) % {"count": count}
    minutes = -(-seconds // 60)
    if minutes < 120:
        return gettext("%(count)s minutes") % {"count": minutes}
    return gettext("%(count)s hours") % {"count": -(-minutes // 60)}


def throttled_words(error: TooManyFailures) -> str:
    """Why a try is refused, and for how long."""
    return gettext("Too many failed tries. Wait %(time)s.") % {"time": waiting_time(error.retry_after)}


class SignInForm(_PageForm):
    username = forms.CharField(label=_("User name"), widget=forms.TextInput(_NAME_ATTRIBUTES))
    password = _AnyPassword(label=_("Password"), widget=forms.PasswordInput({"autocomplete": "current-password"}))
    captcha = _captcha_field()

    def refuse(self) -> None:
        """Add the error that name or password is wrong, without naming which."""
        self.add_error("password", gettext(WRONG))


class PasswordForm(_PageForm):
    """The password of the account that is signed in."""

    password = _AnyPassword(label=_("Password"), widget=forms.PasswordInput({"autocomplete": "current-password"}))

    def refuse(self) -> None:
        self.add_error("password", gettext("The password is wrong."))


def _code_field(*, required: bool) -> forms.CharField:
    return forms.CharField(
        label=_("Code"),
        max_length=64,
        required=required,
        help_text=_("Six digits from your authenticator app, or one of your recovery codes."),
        widget=forms.TextInput(
            {"autocomplete": "one-time-code", "autocapitalize": "none", "autocorrect": "off", "spellcheck": "false"}
        ),
    )


class PasswordAndFactorForm(PasswordForm):
    """The password of an account with a second factor, and a code or the answer of a passkey."""

    password = _AnyPassword(
        label=_("Password"), required=False, widget=forms.PasswordInput({"autocomplete": "current-password"})
    )
    code = _code_field(required=False)
    passkey = forms.CharField(required=False, widget=forms.HiddenInput)

    def clean(self) -> None:
        if not (self.cleaned_data.get("code") or self.cleaned_data.get("passkey")):
            self.add_error("code", gettext("Enter a code, too."))


class CodeForm(_PageForm):
    """A code of the second factor, or a recovery code."""

    code = _code_field(required=True)

    def refuse(self, words: str = "") -> None:
        """Add the error that the code is wrong, or was used; nobody learns which."""
        self.add_error("code", words or gettext(WRONG_CODE))


class FirstRunForm(_PageForm):
    """The first administrator, under the rules for all accounts; each error is shown at its field."""

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
                clean_password(fields["password"], fields["password2"], fields.get("username", ""))
            except ValidationError as error:
                self.add_error("password2" if fields["password"] != fields["password2"] else "password", error)
        return fields


class _OwnAccountForm(FirstRunForm):
    """An account that a person creates without being an administrator."""

    display_name = forms.CharField(
        label=_("Name shown (optional)"),
        required=False,
        widget=forms.TextInput({"autocomplete": "name", "maxlength": NAME_LENGTH}),
    )
    field_order = ["username", "display_name", "email", "password", "password2", "captcha"]

    def clean_display_name(self) -> str:
        return clean_display_name(self.cleaned_data["display_name"], username="")


class RegistrationForm(_OwnAccountForm):
    """Self-registration (docs/api.md#register)."""

    captcha = _captcha_field()


class InvitationForm(_OwnAccountForm):
    """The account of an invited person, whose user name the administrator may have chosen (docs/api.md#invitations)."""

    def __init__(self, invitation: Invitation, data: QueryDict | None = None):
        given = {"username": invitation.username, "display_name": invitation.display_name}
        super().__init__(data, initial=given)
        self._username = invitation.username
        if self._username:
            username = self.fields["username"]
            username.required = False
            username.help_text = _("The administrator chose it. It cannot be changed.")
            # Not `disabled`: programs that keep passwords would not see the name.
            username.widget.attrs["readonly"] = True

    def clean_username(self) -> str:
        return self._username or super().clean_username()
