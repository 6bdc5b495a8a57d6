"""DingTalk: a robot of a group. https://open.dingtalk.com/document/robots/custom-robot-access"""

import base64
import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlencode

from accounts.delivery.sending.answers import Answer
from accounts.delivery.sending.offered.service import TOKEN, IncompleteError, Post, Target, Url, in_one, in_path

SERVICE = "dingtalk"
HOSTS = ("oapi.dingtalk.com",)
PREFIX = "https://oapi.dingtalk.com/robot/send?access_token="
_ANSWER = Answer("errcode", 0, "errmsg")
_MOST = 19_000
WHOLE = f"{PREFIX}…"


def read(url: Url) -> Target:
    """The robot of the address that DingTalk shows, with `&secret=` where it signs. Raises IncompleteError."""
    token = url.query.get("access_token", "")
    if not TOKEN.fullmatch(token):
        raise IncompleteError("access_token", WHOLE)
    return replace(target(token, url.query.get("secret", "")), unused=url.beside("access_token", "secret"))


def target(token: str, secret: str, phones: Sequence[str] = ()) -> Target:
    """A robot, which mentions those with these telephone numbers."""

    def post(title: str, text: str, now: float) -> Post:
        content = {
            "msgtype": "text",
            "text": {"content": in_one(title, text)},
            "at": {"atMobiles": list(phones), "isAtAll": False},
        }
        return Post(f"{PREFIX}{in_path(token)}{_signed(secret, now)}", content)

    return Target(SERVICE, post, _MOST, (token, secret), _ANSWER, max(1, len(phones)))


def _signed(secret: str, now: float) -> str:
    if not secret:
        return ""
    stamp = str(round(now * 1000))
    digest = hmac.digest(secret.encode(), f"{stamp}\n{secret}".encode(), hashlib.sha256)
    return "&" + urlencode({"timestamp": stamp, "sign": base64.b64encode(digest)})
