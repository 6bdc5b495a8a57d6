"""Server酱 and Server酱³: messages to WeChat, or to an app. https://sct.ftqq.com, https://doc.sc3.ft07.com"""

import re

from accounts.notices.sending.answers import Answer
from accounts.notices.sending.offered.service import TOKEN, IncompleteError, Post, Target, Url, in_path

SERVICE = "serverchan"
HOSTS = ("sctapi.ftqq.com",)
# Of Server酱³ each account has a host.
HOST_ENDS = ".push.ft07.com"
_KEY_OF_3 = re.compile(r"sctp([0-9]+)t.+")
# What is a SendKey and nothing else; also with the end that it has in addresses.
KEY = re.compile(r"(?:SCT|sctp[0-9]+t)[A-Za-z0-9]{4,}(?:\.send)?")
_ANSWER = Answer("code", 0, "message")
_MOST_IN_TITLE = 32
_MOST = 30_000


def address(key: str) -> str:
    """The address that belongs to a SendKey: a key of Server酱³ names its host."""
    key = key.removesuffix(".send")
    of_3 = _KEY_OF_3.fullmatch(key)
    begin = f"https://{of_3[1]}{HOST_ENDS}/send" if of_3 else f"https://{HOSTS[0]}"
    return f"{begin}/{in_path(key)}.send"


def read(url: Url) -> Target:
    """The account of the address that Server酱 shows. Raises IncompleteError."""
    is_3 = url.host.endswith(HOST_ENDS)
    key = url.after(*(["send"] if is_3 else [])).removesuffix(".send")
    if not TOKEN.fullmatch(key) or (is_3 and not _KEY_OF_3.fullmatch(key)):
        raise IncompleteError(
            "SendKey", f"https://<uid>{HOST_ENDS}/send/sctp….send" if is_3 else f"https://{HOSTS[0]}/SCT….send"
        )
    return target(key)


def target(key: str) -> Target:
    """An account, by its SendKey."""

    def post(title: str, text: str, _: float) -> Post:
        if len(title) > _MOST_IN_TITLE:
            title, text = f"{title[: _MOST_IN_TITLE - 1]}…", f"{title}\n\n{text}"
        return Post(address(key), {"title": title, "desp": text})

    return Target(SERVICE, post, _MOST, (key,), _ANSWER)
