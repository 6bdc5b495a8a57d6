"""The address that a service shows, made of the fields of its form (docs/api.md#addresses-of-notices).

A field takes its part alone, or the whole address that the service shows. What would be sent elsewhere than it says is
refused.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, unquote, urlencode

from django.utils.translation import gettext

from accounts.delivery.sending.offered import bark, ntfy, serverchan, telegram
from accounts.delivery.sending.offered.service import in_path
from accounts.delivery.sending.surroundings import without_surroundings
from archive_site.lib.http.api_error import ApiError

_SECRET_BEFORE = re.compile(r"(?!https?:)[a-z]+://([^/?]+)@", re.IGNORECASE)
_BOT = re.compile(r"(?:^|/)bot([^/?#]+)")
_CHAT_PAGE = re.compile(r"(?:https?://)?(?:t|telegram)\.me/(?:s/)?(\w+)/?", re.IGNORECASE | re.ASCII)
# As the service itself makes them. The form distinguishes them from the rest of an address.
_MADE_KEY = re.compile(r"[A-Za-z0-9]{20,}")
# As in ntfy+https://.
_SERVICE_BEFORE = re.compile(r"(?:ntfy|bark)\+(?=https?://)", re.IGNORECASE)


@dataclass(frozen=True)
class _Entered:
    """What a server and the field after it say together. `segments` are decoded."""

    server: str
    segments: tuple[str, ...]
    query: str

    def address(self, service: str, last: str, user: str = "") -> str:
        """The address of the service on that server."""
        scheme, _, rest = self.server.rpartition("://")
        return f"{service}+{scheme or 'https'}://{user}{rest}/{in_path(last)}{self.query}"


def of_webhook(entered: str, prefix: str) -> str:
    """The address of a webhook, also where only what follows the prefix was entered, or its parameter with a name."""
    # A fragment is sent to no server, and a secret behind it would be lost.
    text = without_surroundings(entered).partition("#")[0]
    if _is_address(text):
        return text
    text = text.lstrip("/?")
    # The longest end of the prefix with which the text begins.
    ends = (prefix[begin.end() :] for begin in re.finditer(r"[/?]", prefix))
    return prefix + text.removeprefix(next((end for end in ends if end and text.startswith(end)), ""))


def signed(webhook: str, secret: str) -> str:
    """The address of a webhook with its secret. Raises ApiError 400 where it has another one."""
    query = webhook.partition("?")[2]
    # As in dingtalk://secret@token.
    before = _SECRET_BEFORE.match(webhook)
    present = dict(parse_qsl(query)).get("secret") or (unquote(before[1]) if before else "")
    if not secret or present == secret:
        return webhook
    if present:
        raise _refused(gettext("The address has another secret. Enter one of them."))
    return f"{webhook}{'&' if '?' in webhook else '?'}{urlencode({'secret': secret})}"


def of_serverchan(fields: Mapping[str, str]) -> str:
    """An account, by its SendKey or the address with it."""
    key = without_surroundings(fields["key"])
    return key if "/" in key else serverchan.address(key)


def of_telegram(fields: Mapping[str, str]) -> str:
    """A chat of a bot, whose token may have the `bot` of its addresses before it; a channel may be its page."""
    token, chat = (without_surroundings(fields[name]) for name in ("token", "chat"))
    found, page = _BOT.search(token), _CHAT_PAGE.fullmatch(chat)
    return telegram.address(found[1] if found else token, f"@{page[1]}" if page else chat)


def of_ntfy(fields: Mapping[str, str]) -> str:
    """A topic on a server. Raises ApiError 400 for one that no server has, and for two ways to sign in."""
    entered = _entered(fields["server"], fields["topic"], ntfy.HOSTS)
    is_known = _host(entered.server) in ntfy.HOSTS
    # Those of ntfy.sh may end with how one reads it; below another host the server itself may be deeper.
    path, topics = ((), entered.segments[:1]) if is_known else (entered.segments[:-1], entered.segments[-1:])
    is_one = len(entered.segments) == 1 or _is_address(fields["topic"])
    if not is_one or not topics or not ntfy.TOPIC.fullmatch(topics[0]):
        raise _refused(gettext("A topic has at most 64 characters: a to z, A to Z, 0 to 9, - and _."))
    token = f":{quote(fields['token'], safe='')}@" if fields["token"] else ""
    if token and "@" in entered.server:
        raise _refused(gettext("Enter either an access token, or a user and password in the server."))
    below = "/".join([entered.server, *map(in_path, path)])
    return _Entered(below, (), entered.query).address(ntfy.SERVICE, topics[0], token)


def of_bark(fields: Mapping[str, str]) -> str:
    """A key on a server; the app shows it with server, title and text around it."""
    entered = _entered(fields["server"], fields["key"], bark.HOSTS)
    at = next((at for at, segment in enumerate(entered.segments) if _MADE_KEY.fullmatch(segment)), 0)
    below = "/".join([entered.server, *map(in_path, entered.segments[:at])])
    return _Entered(below, (), entered.query).address(bark.SERVICE, "".join(entered.segments[at : at + 1]))


def _entered(server: str, text: str, known: tuple[str, ...]) -> _Entered:
    """Server and path of both fields. Raises ApiError 400 where they name two servers, or the server has a query."""
    server, text = (_SERVICE_BEFORE.sub("", without_surroundings(part)) for part in (server, text))
    server = server.rstrip("/")
    if re.search(r"[?#\s]", server):
        words = gettext("The server has only a host, and a path where it needs one: %(example)s")
        raise _refused(words % {"example": "https://push.example.org"})
    text, mark, query = text.partition("#")[0].partition("?")
    below = f"{server.rpartition('://')[2].rpartition('@')[2]}/"
    scheme, sign, rest = text.rpartition("://")
    if rest.startswith(below):
        rest = rest.removeprefix(below)
        server = server if "://" in server else f"{scheme}{sign}{server}"
        # As http:// in one and https:// in the other.
        if scheme not in ("", server.rpartition("://")[0]):
            raise _refused(_two_servers())
    elif _is_address(text):
        place, _, rest = rest.partition("/")
        if "@" in server or _host(server) not in (*known, _host(place)):
            raise _refused(_two_servers())
        server = f"{scheme}{sign}{place}"
    # A server of the service itself has no path, so this would be another topic or key.
    if _host(server) in known:
        scheme, sign, there = server.rpartition("://")
        server = f"{scheme}{sign}{there.partition('/')[0]}"
    segments = tuple(unquote(segment) for segment in rest.split("/") if segment)
    return _Entered(server, segments, mark + query if query else "")


def _is_address(text: str) -> bool:
    """Whether a text names a host: it has a scheme, or a path after something with a dot."""
    place, slash, _ = text.partition("/")
    return "://" in text or bool(slash and "." in place)


def _host(server: str) -> str:
    """The host of a server, without user and port."""
    return server.rpartition("://")[2].partition("/")[0].rpartition("@")[2].partition(":")[0].lower().rstrip(".")


def _two_servers() -> str:
    return gettext("The server and the address name two servers. Enter one of them.")


def _refused(words: str) -> ApiError:
    return ApiError(400, "bad_request", words)
