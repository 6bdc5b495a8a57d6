"""The forms of accounts, settings and notices, for the description of the API (docs/api.md#accounts)."""

from django.conf import settings

from accounts.config import KEYS
from accounts.models import ApiToken, Delivery, User
from accounts.notices.events import EVENTS, EVENTS_OF_ADMINS, SUMMARIES, TITLES
from accounts.notices.given_addresses import LONGEST_NAME
from accounts.tokens import MOST_DAYS
from archive_site.lib.http.bearer import SCOPES
from archive_site.lib.http.described import Refusal
from archive_site.lib.http.schemas import (
    Schema,
    Shared,
    always,
    count,
    done,
    list_of,
    map_of,
    nullable,
    object_of,
    one_of,
    switch,
    text,
    timestamp,
    whole,
    with_fields,
)

REAUTHENTICATE = {"403 reauthenticate": "The password must be entered again, where the instance asks for it."}
REFUSED = {"400": "A value is not accepted, or nothing is asked for."}
THROTTLED = {"429 too_frequent": "Too many wrong passwords."}
NO_USER = {"404": "There is no such account."}
WARNING: dict[str, Schema] = {"warning?": text("why the password is easy to guess")}
USER_ID = {"user_id": whole()}

ROLES = ("admin", "user")
USER = Shared(
    "User",
    "User",
    object_of(
        {
            "id": whole(),
            "username": text("never changes"),
            "display_name": text(maxLength=64),
            "email": nullable(text(maxLength=128)),
            "is_admin": switch(),
            "status": one_of((User.ACTIVE, User.DISABLED)),
            "created_at": timestamp(),
            "register_ip": nullable(text("of an account that registered itself")),
            "last_login_at": nullable(timestamp()),
            "last_login_ip": nullable(text()),
            "login_count": count(),
        }
    ),
)
_PASSWORD = text("8 to 128 characters of at least two classes", maxLength=128)
_DISPLAY_NAME, _EMAIL = text("cut at 64 characters"), nullable(text("cut at 128 characters; empty clears it"))
NEW_USER = object_of(
    {
        "username": text("2 to 32 letters, digits, `_`, `.` or `-`, first a letter or digit"),
        "password": _PASSWORD,
        "password2": text("the same"),
        "display_name?": _DISPLAY_NAME,
        "email?": _EMAIL,
        "is_admin?": switch(),
    }
)
CHANGED_USER = object_of(
    {
        "display_name?": _DISPLAY_NAME,
        "email?": _EMAIL,
        "is_admin?": switch(),
        "status?": text("active for `active`, `1`, `true` and `on`; disabled for any other value"),
        "password?": _PASSWORD,
        "password2?": text("the same"),
    }
)
PROFILE = object_of(
    {
        "display_name?": _DISPLAY_NAME,
        "email?": _EMAIL,
        "language?": one_of(("", *(code for code, _ in settings.LANGUAGES)), "empty for the browser's"),
        "theme?": one_of(("auto", "light", "dark")),
    }
)
OLD_AND_NEW_PASSWORD = object_of(
    {
        "old": text(),
        "new": _PASSWORD,
        "new2": text("the same as `new`"),
        "end_tokens?": switch("whether all tokens of the account end, too"),
    }
)

_BY_KEY = {name: text(key.about) for name, key in KEYS.items() if name != "cookie"}
SETTINGS = object_of(
    {
        **_BY_KEY,
        "cookie": text("always empty", maxLength=0, examples=[""]),
        "cookie_hint": text("`<N> chars, ...<last 4>`; empty where none is set or it is broken"),
        "cookie_broken": switch("the stored text cannot be decrypted"),
        "_globalKeys": list_of(text(), "17 keys of the instance"),
        "_userKeys": list_of(text(), "the keys of each account"),
        "_canEditGlobal": switch("true for administrators"),
        "_canManageBackups": switch("true for administrators"),
        "_role": one_of(ROLES),
    }
)
CHANGED_SETTINGS = object_of(
    {
        **{f"{name}?": field for name, field in _BY_KEY.items()},
        "cookie?": text("a cookie, or a whole copied request; empty changes nothing, `__clear__` or `-` clears it"),
    }
)
_COOKIE_WARNINGS = {"warnings?": list_of(text(), "doubts about the cookie that was stored")}
STORED_SETTINGS = object_of(
    {
        "ok": always(True),
        "changed": list_of(text(), "keys"),
        "ignored": list_of(text(), "keys of the scheduler"),
        **_COOKIE_WARNINGS,
    }
)
INVALID = {
    "400 invalid": Refusal(
        "Some keys are refused; the others are stored.",
        {
            "errors": list_of(text(), "a text for each"),
            "changed": list_of(text(), "the keys that were stored"),
            **_COOKIE_WARNINGS,
        },
    )
}

INVITATION = object_of(
    {
        "id": whole(),
        "username": nullable(text("null where the invited person chooses")),
        "display_name": nullable(text()),
        "created_by": text("the administrator's user name"),
        "created_at": timestamp(),
        "expires_at": timestamp(),
    }
)
NEW_INVITATION = done(
    {
        "id": whole(),
        "path": text("of the link; no other answer holds it", examples=["/invitation/7fVn…"]),
        "expires_at": timestamp(),
    }
)
CAPTCHA_RULES = object_of(
    {
        "policy": one_of(("always", "on_failure", "off")),
        "length": whole("characters of a picture"),
        "ttl_seconds": always(300),
        "image_url": always(f"{settings.SERVICE_PATH}/captcha.png"),
        "note": text(),
    }
)

_TIME = text("as HH:MM in the server's zone, or empty", pattern="^([0-9]{2}:[0-9]{2})?$", examples=["22:00"])
_CHOSEN = object_of(dict.fromkeys(SUMMARIES, switch()), "which summaries are sent on the morning after their period")
_EVENTS = {**dict.fromkeys(EVENTS, switch()), **{f"{name}?": switch() for name in EVENTS_OF_ADMINS}}
NOTICES = object_of(
    {
        "addresses": list_of(text("its name, or its scheme and host", examples=["https://ntfy.sh/…"])),
        "address_ids": list_of(text(), "in the same order"),
        "address_names": list_of(text("that was chosen; empty without one"), "in the same order"),
        "addresses_broken": switch("the instance key has changed, and they have to be entered again"),
        "events": object_of(_EVENTS, "whether each is on; some are for administrators"),
        "quiet_from": _TIME,
        "quiet_to": _TIME,
        "summaries": _CHOSEN,
        "summary_prompts": switch("whether with the beginnings of prompts"),
    }
)
CHANGED_NOTICES = object_of(
    {
        "addresses?": list_of(
            text(), "the whole list; an id, or `https://ntfy.sh/…`, keeps the next stored one shown so", maxItems=10
        ),
        "add?": {
            "anyOf": [text(), map_of(text())],
            "description": "one more address; or a map of `service`, its fields and `name`",
        },
        "remove?": text("the id of one to leave out"),
        "rename?": object_of({"id": text("of an address"), "name": text("empty for none", maxLength=LONGEST_NAME)}),
        "events?": {
            "anyOf": [map_of(switch()), list_of(text())],
            "description": "events and whether they are on; or a list of those that are on",
        },
        "quiet_from?": _TIME,
        "quiet_to?": _TIME,
        "summaries?": map_of(switch()),
        "summary_prompts?": switch(),
    }
)
STORED_NOTICES = Shared(
    "StoredNotices", "Notices", with_fields(NOTICES, {"ok": always(True), "message": text()}), in_words=True
)
_REASONS = (
    "", "address", "failed", "mail", "private", "redirect", "refused", "timeout", "too_long", "unreachable",
    "untrusted",
)  # fmt: skip
SENT_NOTICE = object_of(
    {
        "id": whole(),
        "event": one_of(TITLES),
        "title": text(),
        "text": text(),
        "began_at": timestamp(),
        "ended_at": nullable(timestamp("once it is over")),
        "end_text": text("once it is over"),
        "deliveries": list_of(
            object_of(
                {
                    "part": one_of(Delivery.Part.values),
                    "address": text("its name, or its scheme and host; its scheme once it is removed"),
                    "state": one_of(Delivery.State.values),
                    "reason": one_of(_REASONS, "of the last failure"),
                    "said": text("why the service refused it, in its words"),
                    "tries": count(),
                    "done_at": nullable(timestamp()),
                    "words": text("how it went"),
                }
            )
        ),
    }
)

WEBHOOK_ID = {"webhook_id": whole()}
WEBHOOK = Shared(
    "Webhook",
    "Webhooks",
    object_of(
        {
            "id": whole(),
            "address": text(
                "scheme, host and port; what follows is never shown", examples=["https://hooks.example.org:8443/…"]
            ),
            "broken": switch("the instance key has changed, and it has to be created again"),
            "created_at": timestamp(),
            "waiting": count("events that are still to be sent, or to be sent again"),
            "last": nullable(
                object_of(
                    {
                        "at": timestamp(),
                        "status": nullable(whole("of the answer; null without one")),
                        "reason": one_of(_REASONS, "why it failed; empty where it was taken"),
                        "words": text("how it went"),
                    },
                    "the last try; null before the first",
                )
            ),
        }
    ),
)

TOKEN_ID = {"token_id": whole()}
TOKEN = Shared(
    "Token",
    "Tokens",
    object_of(
        {
            "id": whole(),
            "name": text(maxLength=ApiToken.NAME_LENGTH),
            "scopes": list_of(one_of(SCOPES)),
            "beginning": text("the first 7 characters"),
            "created_at": timestamp(),
            "expires_at": nullable(timestamp("null for a token without an end")),
            "last_used_at": nullable(timestamp("exact to a minute; null before the first use")),
        }
    ),
)
NEW_TOKEN = object_of(
    {
        "name": text(
            f"at most {ApiToken.NAME_LENGTH} characters, no control characters; white space is trimmed and single",
            maxLength=ApiToken.NAME_LENGTH,
        ),
        "scopes": list_of(one_of(SCOPES), minItems=1),
        "days?": nullable(whole("how long it lasts; null or nothing for no end", minimum=1, maximum=MOST_DAYS)),
    }
)
