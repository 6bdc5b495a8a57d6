"""Server酱 and Server酱³: messages to WeChat, or to an app. https://sct.ftqq.com, https://doc.sc3.ft07.com"""

import re
from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from accounts.delivery.sending.answers import Answer
from accounts.delivery.sending.offered.service import TOKEN, IncompleteError, Post, Target, Url, in_path

SERVICE = "serverchan"
HOSTS = ("sctapi.ftqq.com",)
# Of Server酱³ each account has a host.
HOST_ENDS = ".push.ft07.com"
_BEGIN_OF_3 = "sctp"
_KEY_OF_3 = re.compile(rf"{_BEGIN_OF_3}([0-9]+)t[A-Za-z0-9_-]+")
WHOLE_OF_3 = f"https://<uid>{HOST_ENDS}/send/sctp….send"
# What is a SendKey and nothing else; also with the end that it has in addresses.
KEY = re.compile(r"(?:SCT|sctp[0-9]+t)[A-Za-z0-9]{4,}(?:\.send)?")
_ANSWER = Answer("code", 0, "message")
WHOLE = f"https://{HOSTS[0]}/SCT….send"
# Sent on as they are. Title and text of a notice take the place of the others.
_OPTIONS = ("channel", "noip", "openid", "short", "tags")
_USED = ("title", "text", "desp", *_OPTIONS)
_MOST_IN_TITLE = 32
_MOST = 30_000


def address(key: str) -> str:
    """The address that belongs to a SendKey: a key of Server酱³ names its host."""
    key = key.removesuffix(".send")
    uid = _uid(key)
    begin = f"https://{uid}{HOST_ENDS}/send" if uid else f"https://{HOSTS[0]}"
    return f"{begin}/{in_path(key)}.send"


def _uid(key: str) -> str:
    """The account that a key of Server酱³ names; empty for other keys."""
    found = _KEY_OF_3.fullmatch(key)
    return found[1] if found else ""


def read(url: Url) -> Target:
    """The account of the address that Server酱 shows. Raises IncompleteError."""
    is_3 = url.host.endswith(HOST_ENDS)
    key = url.after(*(["send"] if is_3 else [])).removesuffix(".send")
    if is_3 and f"{_uid(key)}{HOST_ENDS}" != url.host:
        raise IncompleteError("SendKey", WHOLE_OF_3)
    options = {name: url.query[name] for name in _OPTIONS if name in url.query}
    return replace(target(key, options), unused=url.beside(*_USED))


def target(key: str, options: Mapping[str, str] = MappingProxyType({})) -> Target:
    """An account, by its SendKey, with what else its messages have. Raises IncompleteError."""
    if key.startswith(_BEGIN_OF_3) and not _uid(key):
        raise IncompleteError("SendKey", WHOLE_OF_3)
    if not TOKEN.fullmatch(key):
        raise IncompleteError("SendKey", WHOLE)

    def post(title: str, text: str, _: float) -> Post:
        if len(title) > _MOST_IN_TITLE:
            title, text = f"{title[: _MOST_IN_TITLE - 1]}…", f"{title}\n\n{text}"
        return Post(address(key), {**options, "title": title, "desp": text})

    return Target(SERVICE, post, _MOST, (key,), _ANSWER)
