"""Discord: a webhook of a channel. https://discord.com/developers/docs/resources/webhook#execute-webhook"""

import re

from accounts.delivery.sending.answers import Answer
from accounts.delivery.sending.offered.service import TOKEN, IncompleteError, Post, Target, Url, in_one, in_path

SERVICE = "discord"
HOSTS = tuple(
    f"{release}{host}" for host in ("discord.com", "discordapp.com") for release in ("", "www.", "ptb.", "canary.")
)
PREFIX = "https://discord.com/api/webhooks/"
_VERSION = re.compile(r"v[0-9]+")
_ANSWER = Answer(code="code", words="message")
_MOST = 2000
WHOLE = f"{PREFIX}<id>/<token>"


def read(url: Url) -> Target:
    """The webhook of the address that Discord shows, also in the form for Slack. Raises IncompleteError."""
    path = tuple(part for part in url.segments if not _VERSION.fullmatch(part))
    number, token = (*path[2:4], "", "")[:2]
    if path[:2] != ("api", "webhooks") or not number.isdecimal() or not TOKEN.fullmatch(token):
        raise IncompleteError("token", WHOLE)
    thread = url.query.get("thread_id", "")

    def post(title: str, text: str, _: float) -> Post:
        in_thread = f"?thread_id={thread}" if thread.isdecimal() else ""
        content = {"content": in_one(title, text), "allowed_mentions": {"parse": []}}
        return Post(f"{PREFIX}{in_path(number)}/{in_path(token)}{in_thread}", content)

    return Target(SERVICE, post, _MOST, (token, number), _ANSWER, unused=url.beside("thread_id"))
