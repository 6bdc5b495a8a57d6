"""What each setting accepts, and the normal form that is stored (docs/api.md#setting).

A rule takes a text and gives its normal form, or raises ValueError with a sentence that follows the key's name
("must be ...") and never repeats the value. The sentence is a message: answers and audit may differ in language.
"""

import ipaddress
import re
from collections.abc import Callable
from urllib.parse import SplitResult, urlsplit

from archive_site.lib.stored_message import Message

Rule = Callable[[str], str]

COOKIE_LENGTH = 8000
USER_AGENT_LENGTH = 512
API_LENGTH = 255
YES = frozenset({"1", "true", "on", "yes"})
NO = frozenset({"0", "false", "off", "no"})

_WHOLE_NUMBER = re.compile(r"[+-]?[0-9]{1,12}")
_TIME = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])")
_LATIN_1 = re.compile(r"[ -~\xa0-\xff]*")
_HOST = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?\.?|\[[0-9a-f:.]+\]")
_NO_ORIGIN = re.compile(r"[^!-~]|[@?#\\]")
_DEFAULT_PORTS = {"http": 80, "https": 443}


def whole_number(least: int, most: int) -> Rule:
    """Whole numbers from `least` to `most`, both included."""

    def rule(text: str) -> str:
        text = text.strip()
        if not _WHOLE_NUMBER.fullmatch(text) or not least <= int(text) <= most:
            raise ValueError(Message("not_a_whole_number", least=least, most=most))
        return str(int(text))

    return rule


def one_of(*words: str) -> Rule:
    """One of a few words, in any case."""

    def rule(text: str) -> str:
        word = text.strip().lower()
        if word not in words:
            raise ValueError(Message("not_one_of", words=words))
        return word

    return rule


def boolean(text: str) -> str:
    """`1` or `0` from any of the words for yes and no."""
    word = text.strip().lower()
    if word not in YES | NO:
        raise ValueError(Message("not_a_switch"))
    return "1" if word in YES else "0"


def times_of_day(text: str) -> str:
    """`HH:MM` times, sorted, without duplicates; `8:00` becomes `08:00`. Commas and colons may be full-width."""
    found = [_TIME.fullmatch(part.strip()) for part in re.split("[,，]", text.replace("：", ":")) if part.strip()]
    times = {f"{int(match[1]):02}:{match[2]}" for match in found if match}
    if not times or not all(found):
        raise ValueError(Message("not_times_of_day"))
    return ",".join(sorted(times))


def origin(text: str) -> str:
    """An https origin, or an http origin on this machine; lower case, without a trailing slash or default port."""
    text = text.strip()
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise ValueError(Message("not_an_origin")) from None
    host = _host(parts)
    # `urlsplit` drops line breaks, and a "?" or "#" with nothing behind it.
    if not host or len(text) > API_LENGTH or parts.path not in ("", "/") or _NO_ORIGIN.search(text):
        raise ValueError(Message("not_an_origin"))
    if parts.scheme != "https" and not (parts.scheme == "http" and _is_loopback(host)):
        raise ValueError(Message("not_an_origin"))
    suffix = "" if port in (None, _DEFAULT_PORTS[parts.scheme]) else f":{port}"
    return f"{parts.scheme}://{host}{suffix}"


def _host(parts: SplitResult) -> str:
    host = parts.hostname or ""
    host = f"[{host}]" if ":" in host else host
    # An empty port, as in "https://host:", is not accepted either.
    return host if _HOST.fullmatch(host) and not parts.netloc.endswith(":") else ""


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def path(text: str) -> str:
    """A path on the source's host."""
    text = text.strip()
    if not text.startswith("/") or not text.isprintable() or ".." in text or len(text) > API_LENGTH:
        raise ValueError(Message("not_a_path", most=API_LENGTH))
    return text


def user_agent(text: str) -> str:
    """The value of a User-Agent header, unchanged except for blanks at its ends."""
    text = text.strip()
    if len(text) > USER_AGENT_LENGTH or not _LATIN_1.fullmatch(text):
        raise ValueError(Message("not_a_user_agent", most=USER_AGENT_LENGTH))
    return text


def cookie(text: str) -> str:
    """The value of a Cookie header (the form of a source's credential finds it in a pasted text)."""
    text = text.strip()
    if len(text) > COOKIE_LENGTH:
        raise ValueError(Message("cookie_too_long", most=f"{COOKIE_LENGTH:,}", length=f"{len(text):,}"))
    if not _LATIN_1.fullmatch(text):
        raise ValueError(Message("cookie_shortened") if "…" in text else Message("cookie_not_printable"))
    return text
