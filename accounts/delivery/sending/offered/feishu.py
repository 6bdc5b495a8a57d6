"""Feishu, and Lark, its name abroad: a robot of a group.

https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot
"""

import base64
import hashlib
import hmac
from dataclasses import replace
from typing import Any

from accounts.delivery.sending.answers import Answer
from accounts.delivery.sending.offered.service import TOKEN, IncompleteError, Post, Target, Url, in_one, in_path

# By service.
HOSTS = {"feishu": "open.feishu.cn", "lark": "open.larksuite.com"}
_PATH = ("open-apis", "bot", "v2", "hook")
_ANSWER = Answer("code", 0, "msg")
_MOST = 19_000


def prefix(service: str) -> str:
    """The address of a robot without its last part."""
    return f"https://{HOSTS[service]}/{'/'.join(_PATH)}/"


def read(url: Url) -> Target:
    """The robot of the address that Feishu shows, with `?secret=` where it signs. Raises IncompleteError."""
    service = next(name for name, host in HOSTS.items() if host == url.host)
    token = url.after(*_PATH)
    if not TOKEN.fullmatch(token):
        raise IncompleteError("hook", f"{prefix(service)}…")
    return replace(target(service, token, url.query.get("secret", "")), unused=url.beside("secret"))


def target(service: str, token: str, secret: str) -> Target:
    """A robot of Feishu or Lark."""

    def post(title: str, text: str, now: float) -> Post:
        content = {**_signed(secret, now), "msg_type": "text", "content": {"text": in_one(title, text)}}
        return Post(prefix(service) + in_path(token), content)

    return Target(service, post, _MOST, (token, secret), _ANSWER)


def _signed(secret: str, now: float) -> dict[str, Any]:
    if not secret:
        return {}
    stamp = str(int(now))
    # The time is in the key, and the message is empty.
    digest = hmac.digest(f"{stamp}\n{secret}".encode(), b"", hashlib.sha256)
    return {"timestamp": stamp, "sign": base64.b64encode(digest).decode()}
