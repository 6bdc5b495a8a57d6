"""The schemes and parameters that an address of the library may have: docs/decisions/notices.md#sending-notices."""

import re

from accounts.delivery.sending.answers import Answer

LONGEST = 1000
# How many receivers an address may name.
MOST_TARGETS = 10

_SCHEME = re.compile(r"([A-Za-z]+)://")

# By scheme: the module and class of the library. Each of them speaks HTTP or SMTP only.
SCHEMES = {
    **dict.fromkeys(["mailto", "mailtos"], ("email", "NotifyEmail")),
    **dict.fromkeys(["json", "jsons"], ("custom_json", "NotifyJSON")),
    **dict.fromkeys(["form", "forms"], ("custom_form", "NotifyForm")),
    **dict.fromkeys(["xml", "xmls"], ("custom_xml", "NotifyXML")),
    **dict.fromkeys(["ntfy", "ntfys"], ("ntfy", "NotifyNtfy")),
    **dict.fromkeys(["bark", "barks"], ("bark", "NotifyBark")),
    **dict.fromkeys(["gotify", "gotifys"], ("gotify", "NotifyGotify")),
    **dict.fromkeys(["mmost", "mmosts"], ("mattermost", "NotifyMattermost")),
    **dict.fromkeys(["rocket", "rockets"], ("rocketchat", "NotifyRocketChat")),
    **dict.fromkeys(["signal", "signals"], ("signal_api", "NotifySignalAPI")),
    **dict.fromkeys(["pushdeer", "pushdeers"], ("pushdeer", "NotifyPushDeer")),
    **dict.fromkeys(["workflow", "workflows"], ("workflows", "NotifyWorkflows")),
    "tgram": ("telegram", "NotifyTelegram"),
    "wxpusher": ("wxpusher", "NotifyWxPusher"),
    "pushplus": ("pushplus", "NotifyPushplus"),
    "discord": ("discord", "NotifyDiscord"),
    "slack": ("slack", "NotifySlack"),
    "gchat": ("google_chat", "NotifyGoogleChat"),
    "zulip": ("zulip", "NotifyZulip"),
    "pover": ("pushover", "NotifyPushover"),
    "pbul": ("pushbullet", "NotifyPushBullet"),
    "prowl": ("prowl", "NotifyProwl"),
}

# How services of the library say whether they took a message, and why not: the library does not look at it.
TAKEN = {
    **dict.fromkeys(["bark", "barks"], Answer("code", 200, "message")),
    **dict.fromkeys(["pushdeer", "pushdeers"], Answer("code", 0, "error")),
    **dict.fromkeys(["ntfy", "ntfys"], Answer(code="code", words="error")),
    "discord": Answer(code="code", words="message"),
    "slack": Answer(words="error", is_plain=True),
    "tgram": Answer(words="description"),
}

# Parameters that name a receiver, identify the sender or change how a message looks. Not among them are those that read
# files or fetch other addresses, and those that change time, retries, redirects or what the library stores.
# fmt: off
PARAMETERS = frozenset({
    "action", "api-version", "archive", "auth", "avatar", "avatar_url", "badge", "bcc", "blocks", "botname", "call",
    "category", "cc", "channel", "channels", "click", "copy", "detect", "email", "expire", "fields", "flags",
    "footer", "footer_logo", "format", "from", "group", "href", "icon", "icon_url", "id", "image", "interval", "key",
    "level", "mdv", "method", "mode", "name", "option", "pa", "pass", "password", "ping", "port", "powerautomate",
    "preview", "priority", "reply", "route", "routeid", "secret", "sig", "signature", "silent", "smtp", "sound",
    "subtitle", "team", "thread", "timestamp", "title", "to", "token", "topic", "ttl", "tts", "url", "url_title",
    "user", "ver", "verify", "volume", "webhook", "workflow", "workspace", "wrap", "xtags",
})
# fmt: on


def scheme_of(address: str) -> str | None:
    """The scheme in small letters; None where the text has none, or characters that no address has."""
    found = _SCHEME.match(address)
    return found[1].lower() if found and address.isprintable() else None


class UnusableError(ValueError):
    """An address that cannot be used, or may not; `reason` is a code."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
