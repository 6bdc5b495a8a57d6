"""The types of accounts, settings and notices, as the API has them (docs/api.md#accounts)."""

from typing import Annotated, ClassVar, Literal

from django.conf import settings
from msgspec import UNSET, Meta, UnsetType, field

from accounts import models
from accounts.config import KEYS
from accounts.delivery.events import EVENTS, EVENTS_OF_ADMINS, SUMMARIES, TITLES, TO_WEBHOOKS
from accounts.delivery.reasons import REASONS
from archive_site.lib.http.answer_types import Answer, Count, Done, Given, Timestamp, about, keys, one_of
from archive_site.lib.http.bearer import SCOPES
from archive_site.lib.http.described import Refusal
from archive_site.lib.http.schemas import Schema, object_of, text
from archive_site.lib.http.type_schemas import schema_of


class AskedAgain(Answer, frozen=True):
    """What stands beside the refusal of a request that needs a recent code."""

    second_factor: Annotated[bool, about("a code is asked for, too")] | UnsetType = UNSET


REAUTHENTICATE = {"403 reauthenticate": "The password must be entered again, where the instance asks for it."}
REAUTHENTICATE_WITH_CODE = {
    "403 reauthenticate": Refusal(
        "The password must be entered again, where the instance asks for it, or a code of the second factor, which was "
        "not given in the last ten minutes.",
        AskedAgain,
    )
}
# Of what asks for them whatever the instance is set to.
_LATELY = "lately (ten minutes, or as the instance says)"
PASSWORD_ALWAYS = {"403 reauthenticate": f"The password was not entered {_LATELY}."}
FACTOR_ALWAYS = {
    "403 reauthenticate": Refusal(
        f"The password, or the code of an account with a second factor, was not entered {_LATELY}.", AskedAgain
    )
}
REFUSED = {"400": "A value is not accepted, or nothing is asked for."}
THROTTLED = {"429 too_frequent": "Too many wrong passwords."}
NO_USER = {"404": "There is no such account."}
ROLES = ("admin", "user")


class User(Answer, frozen=True):
    heading: ClassVar[str] = "User"

    id: int
    username: Annotated[str, about("never changes")]
    display_name: Annotated[str, Meta(max_length=64)]
    email: Annotated[str, Meta(max_length=128)] | None
    is_admin: bool
    status: Annotated[str, one_of((models.User.ACTIVE, models.User.DISABLED))]
    created_at: Timestamp
    register_ip: Annotated[str | None, about("of an account that registered itself")]
    last_login_at: Timestamp | None
    last_login_ip: str | None
    login_count: Count


class Warned(Done, frozen=True):
    """The answer of a change that may have given an account a password that is easy to guess."""

    warning: Annotated[str, about("why the password is easy to guess")] | UnsetType = UNSET


class CreatedUser(Done, frozen=True):
    id: int
    warning: Annotated[str, about("why the password is easy to guess")] | UnsetType = UNSET


Password = Annotated[str, Meta(description="8 to 128 characters of at least two classes", max_length=128)]
DisplayName = Annotated[str, about("cut at 64 characters")]
Email = Annotated[str | None, about("cut at 128 characters; empty clears it")]


class NewUser(Given, frozen=True):
    username: Annotated[str, about("2 to 32 letters, digits, `_`, `.` or `-`, first a letter or digit")]
    password: Password
    password2: Annotated[str, about("the same")]
    display_name: DisplayName = ""
    email: Email = ""
    is_admin: bool = False


class ChangedUser(Given, frozen=True):
    display_name: DisplayName | UnsetType = UNSET
    email: Email | UnsetType = UNSET
    is_admin: bool | UnsetType = UNSET
    status: (
        Annotated[str, about("active for `active`, `1`, `true` and `on`; disabled for any other value")] | UnsetType
    ) = UNSET
    password: Password | UnsetType = UNSET
    password2: Annotated[str, about("the same")] | UnsetType = UNSET


class Profile(Given, frozen=True):
    display_name: DisplayName | UnsetType = UNSET
    email: Email | UnsetType = UNSET
    language: (
        Annotated[str, one_of(("", *(code for code, _ in settings.LANGUAGES)), "empty for the browser's")] | UnsetType
    ) = UNSET
    theme: Annotated[str, one_of(models.User.THEMES)] | UnsetType = UNSET


class OldAndNewPassword(Given, frozen=True):
    old: str
    new: Password
    new2: Annotated[str, about("the same as `new`")]
    end_tokens: Annotated[bool, about("whether all tokens of the account end, too")] = False


class OwnPassword(Given, frozen=True):
    password: Annotated[str, about("may be empty beside `code` or `passkey` after a recent proof elsewhere")]
    code: Annotated[str, about("of the second factor, for requests that need a recent one, too")] = ""
    passkey: Annotated[str, about("instead of a code, the answer of a browser as JSON")] = ""


class WrongCode(Answer, frozen=True):
    """What stands beside the refusal of a wrong code."""

    field: Annotated[Literal["code"], about("it is the code that is wrong")] | UnsetType = UNSET


class Hidden(Answer, frozen=True):
    ok: Literal[True]


class Invited(Given, frozen=True):
    username: str = ""
    display_name: str = ""


class SettingsOf(Answer, frozen=True):
    """What stands beside the settings of an account."""

    cookie_hint: Annotated[str, about("`<N> chars, ...<last 4>`; empty where none is set or it is broken")]
    cookie_broken: Annotated[bool, about("the stored text cannot be decrypted")]
    global_keys: Annotated[list[str], about("17 keys of the instance")] = field(name="_globalKeys")
    user_keys: Annotated[list[str], about("the keys of each account")] = field(name="_userKeys")
    can_edit_global: Annotated[bool, about("true for administrators")] = field(name="_canEditGlobal")
    can_manage_backups: Annotated[bool, about("true for administrators")] = field(name="_canManageBackups")
    role: Annotated[str, one_of(ROLES)] = field(name="_role")


# The keys are declared once, in accounts/config.
_BY_KEY = {name: text(key.about) for name, key in KEYS.items() if name != "cookie"}
_COOKIE = text("a cookie, or a whole copied request; empty changes nothing, `__clear__` or `-` clears it")
_BESIDE = schema_of(SettingsOf)["properties"]
SETTINGS: Schema = object_of({**_BY_KEY, "cookie": text("always empty", maxLength=0, examples=[""]), **_BESIDE})
CHANGED_SETTINGS = object_of({**{f"{name}?": about for name, about in _BY_KEY.items()}, "cookie?": _COOKIE})
CookieWarnings = Annotated[list[str], about("doubts about the cookie that was stored")]


class StoredSettings(Answer, frozen=True):
    ok: Literal[True]
    changed: Annotated[list[str], about("keys")]
    ignored: Annotated[list[str], about("keys of the scheduler")]
    warnings: CookieWarnings | UnsetType = UNSET


class RefusedSettings(Answer, frozen=True):
    errors: Annotated[list[str], about("a text for each")]
    changed: Annotated[list[str], about("the keys that were stored")]
    warnings: CookieWarnings | UnsetType = UNSET


INVALID = {"400 invalid": Refusal("Some keys are refused; the others are stored.", RefusedSettings)}


class Invitation(Answer, frozen=True):
    id: int
    username: Annotated[str | None, about("null where the invited person chooses")]
    display_name: str | None
    created_by: Annotated[str, about("the administrator's user name")]
    created_at: Timestamp
    expires_at: Timestamp


class NewInvitation(Done, frozen=True):
    id: int
    path: Annotated[str, Meta(description="of the link; no other answer holds it", examples=["/invitation/7fVn…"])]
    expires_at: Timestamp


class CaptchaRules(Answer, frozen=True):
    policy: Annotated[str, one_of(KEYS["captcha_policy"].choices)]
    length: Annotated[int, about("characters of a picture")]
    ttl_seconds: Literal[300]
    image_url: Annotated[str, one_of((f"{settings.SERVICE_PATH}/captcha.png",))]
    note: str


Time = Annotated[
    str,
    Meta(
        description="as HH:MM in the server's zone, or empty",
        pattern="^([0-9]{2}:[0-9]{2})?$",
        examples=["22:00"],
    ),
]
_EVENTS = keys(EVENTS, EVENTS_OF_ADMINS, "whether each is on; the optional ones are for administrators", type="boolean")
_SUMMARIES = keys(SUMMARIES, (), "which summaries are sent on the morning after their period", type="boolean")


class Notices(Answer, frozen=True):
    addresses: list[
        Annotated[str, Meta(description="its name, or its scheme and host", examples=["https://ntfy.sh/…"])]
    ]
    address_ids: Annotated[list[str], about("in the same order")]
    address_names: Annotated[
        list[Annotated[str, about("that was chosen; empty without one")]], about("in the same order")
    ]
    addresses_broken: Annotated[bool, about("the instance key has changed, and they have to be entered again")]
    events: Annotated[dict[str, bool], _EVENTS]
    quiet_from: Time
    quiet_to: Time
    summaries: Annotated[dict[str, bool], _SUMMARIES]
    summary_prompts: Annotated[bool, about("whether with the beginnings of prompts")]


_REASONS = ("", *REASONS)


class SentDelivery(Answer, frozen=True):
    part: Annotated[str, one_of(models.Delivery.Part.values)]
    address: Annotated[str, about("its name, or its scheme and host; its scheme once it is removed")]
    state: Annotated[str, one_of(models.Delivery.State.values)]
    reason: Annotated[str, one_of(_REASONS, "of the last failure")]
    said: Annotated[str, about("why the service refused it, in its words")]
    tries: Count
    done_at: Timestamp | None
    words: Annotated[str, about("how it went")]


class SentNotice(Answer, frozen=True):
    id: int
    event: Annotated[str, one_of(TITLES)]
    title: str
    text: str
    began_at: Timestamp
    ended_at: Annotated[Timestamp | None, about("once it is over")]
    end_text: Annotated[str, about("once it is over")]
    deliveries: list[SentDelivery]


WebhookEvents = list[Annotated[str, one_of(TO_WEBHOOKS)]]


class WebhookTry(Answer, frozen=True):
    at: Timestamp
    status: Annotated[int | None, about("of the answer; null without one")]
    reason: Annotated[str, one_of(_REASONS, "why it failed; empty where it was taken")]
    words: Annotated[str, about("how it went")]


class Webhook(Answer, frozen=True):
    heading: ClassVar[str] = "Webhooks"

    id: int
    address: Annotated[
        str,
        Meta(
            description=(
                "scheme, host and port alone; only `https://…` where it is `broken`, or an `@` behind the host leaves "
                "open where that begins"
            ),
            examples=["https://hooks.example.org:8443/…"],
        ),
    ]
    events: Annotated[WebhookEvents, about("what it is sent")]
    broken: Annotated[bool, about("the instance key has changed, and it has to be created again")]
    created_at: Timestamp
    waiting: Annotated[Count, about("events that are still to be sent, or to be sent again")]
    last: Annotated[WebhookTry | None, about("the last try; null before the first")]


class Token(Answer, frozen=True):
    heading: ClassVar[str] = "Tokens"

    id: int
    name: Annotated[str, Meta(max_length=models.ApiToken.NAME_LENGTH)]
    scopes: list[Annotated[str, one_of(SCOPES)]]
    beginning: Annotated[str, about("the first 7 characters")]
    created_at: Timestamp
    expires_at: Annotated[Timestamp | None, about("null for a token without an end")]
    last_used_at: Annotated[Timestamp | None, about("exact to a minute; null before the first use")]
