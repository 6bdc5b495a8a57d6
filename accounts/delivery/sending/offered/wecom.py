"""WeCom: a robot of a group. https://developer.work.weixin.qq.com/document/path/91770"""

from dataclasses import replace

from accounts.delivery.sending.answers import Answer
from accounts.delivery.sending.offered.service import TOKEN, IncompleteError, Post, Target, Url, in_one, in_path

SERVICE = "wecom"
HOSTS = ("qyapi.weixin.qq.com",)
PREFIX = "https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key="
_ANSWER = Answer("errcode", 0, "errmsg")
_MOST = 2048
WHOLE = f"{PREFIX}…"


def read(url: Url) -> Target:
    """The robot of the address that WeCom shows. Raises IncompleteError."""
    key = url.query.get("key", "")
    if not TOKEN.fullmatch(key):
        raise IncompleteError("key", WHOLE)
    return replace(target(key), unused=url.beside("key"))


def target(key: str) -> Target:
    """A robot."""

    def post(title: str, text: str, _: float) -> Post:
        return Post(PREFIX + in_path(key), {"msgtype": "text", "text": {"content": in_one(title, text)}})

    return Target(SERVICE, post, _MOST, (key,), _ANSWER)
