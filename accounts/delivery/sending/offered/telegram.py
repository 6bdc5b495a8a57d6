"""Telegram: messages of a bot. https://core.telegram.org/bots/api#sendmessage"""

import re

from accounts.delivery.sending.answers import Answer
from accounts.delivery.sending.offered.service import IncompleteError, Post, Target, Url, in_one, in_path

SERVICE = "telegram"
HOSTS = ("api.telegram.org",)
_TOKEN = re.compile(r"[0-9]+:[A-Za-z0-9_-]+")
# A number, or the name of a public channel or group.
_CHAT = re.compile(r"-?[0-9]+|@[A-Za-z0-9_]+")
WHOLE = "https://api.telegram.org/bot<token>/sendMessage?chat_id=…"
# Sent on as they are. The text of a notice takes the place of `text`.
_OPTIONS = ("disable_notification", "protect_content")
_USED = ("chat_id", "message_thread_id", "text", *_OPTIONS)
_ANSWER = Answer("ok", True, "description")
# 4,096 UTF-16 units, which are never more than bytes.
_MOST = 4096


def address(token: str, chat: str) -> str:
    """The address of a chat of a bot."""
    return f"https://{HOSTS[0]}/bot{in_path(token)}/sendMessage?chat_id={in_path(chat)}"


def read(url: Url) -> Target:
    """The chat of an address of Telegram's API. Raises IncompleteError."""
    bot = url.segments[0] if url.segments else ""
    token, chat = bot.removeprefix("bot"), url.query.get("chat_id", "")
    if not bot.startswith("bot") or not _TOKEN.fullmatch(token):
        raise IncompleteError("token", WHOLE)
    if not _CHAT.fullmatch(chat):
        raise IncompleteError("chat_id", WHOLE)
    thread = url.query.get("message_thread_id", "")

    def post(title: str, text: str, _: float) -> Post:
        content: dict[str, str | int] = {"chat_id": chat, "text": in_one(title, text)}
        content.update((name, url.query[name]) for name in _OPTIONS if name in url.query)
        if thread.isdecimal():
            content["message_thread_id"] = int(thread)
        return Post(f"https://{HOSTS[0]}/bot{in_path(token)}/sendMessage", content)

    # Its second half alone also opens the bot.
    return Target(SERVICE, post, _MOST, (token, token.partition(":")[2], chat), _ANSWER, unused=url.beside(*_USED))
