"""Bark: an app of iOS, by its server or another one. https://bark.day.app/#/tutorial"""

import re

from accounts.delivery.sending.answers import Answer
from accounts.delivery.sending.offered.service import IncompleteError, Post, Target, Url, authorization, in_path

SERVICE = "bark"
HOSTS = ("api.day.app",)
# Where messages with their key inside are posted to.
_ENDPOINT = "push"
# An own server may have keys that somebody chose.
_KEY = re.compile(r"[!-~]+")
_ANSWER = Answer("code", 200, "message")
# Of what Apple takes, the rest is for the frame and for what encodes it.
_MOST = 3000


def read(url: Url) -> Target:
    """The key of the address that the app shows, which goes on with a text to try it. Raises IncompleteError."""
    is_known = url.host in HOSTS
    path, keys = ((), url.segments[:1]) if is_known else (url.segments[:-1], url.segments[-1:])
    if not keys or not _KEY.fullmatch(keys[0]) or (is_known and keys[0] == _ENDPOINT):
        raise IncompleteError("key", f"{url.origin}/key")
    root = "/".join([f"https://{HOSTS[0]}" if is_known else url.origin, *map(in_path, path)])

    def post(title: str, text: str, _: float) -> Post:
        # Sound, group and the like, as the address has them.
        content = {**url.query, "device_key": keys[0], "title": title, "body": text}
        return Post(f"{root}/push", content, authorization(url))

    return Target(SERVICE, post, _MOST, (*keys, url.user, url.password), _ANSWER)
