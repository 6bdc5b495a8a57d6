"""Slack: an incoming webhook. https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks"""

from accounts.delivery.sending.answers import Answer
from accounts.delivery.sending.offered.service import TOKEN, IncompleteError, Post, Target, Url, in_one, in_path

SERVICE = "slack"
HOSTS = ("hooks.slack.com", "hooks.slack-gov.com")
PREFIX = "https://hooks.slack.com/services/"
# The rest of a path: team, webhook, token.
_PARTS = 3
_ANSWER = Answer(is_plain=True)
_MOST = 4000
WHOLE = f"{PREFIX}T…/B…/…"
# What Slack would read as links, mentions and signs.
_ESCAPED = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


def read(url: Url) -> Target | None:
    """The webhook of the address that Slack shows; None for a workflow's. Raises IncompleteError."""
    if url.segments[:1] in (("workflows",), ("triggers",)):
        return None
    parts = url.segments[1:]
    if url.segments[:1] != ("services",) or len(parts) != _PARTS or not all(map(TOKEN.fullmatch, parts)):
        raise IncompleteError("services/T…/B…/…", WHOLE)

    def post(title: str, text: str, _: float) -> Post:
        path = "/".join(map(in_path, parts))
        return Post(f"https://{url.host}/services/{path}", {"text": in_one(title, text).translate(_ESCAPED)})

    return Target(SERVICE, post, _MOST, parts, _ANSWER, unused=url.beside())
