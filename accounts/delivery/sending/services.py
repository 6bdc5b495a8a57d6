"""From an address to its service, and a notice sent by it. Only the child loads this module."""

import base64
import json
import re
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from accounts.delivery.sending import answers, posts
from accounts.delivery.sending.exchanges import ADDRESS, REFUSED_FOR_NOW, Exchanges, Failure
from accounts.delivery.sending.fitting import fitted
from accounts.delivery.sending.offered.recognition import target_of
from accounts.delivery.sending.offered.service import IncompleteError, Target
from accounts.delivery.sending.schemes import UnusableError

_JSON = {"Content-Type": "application/json; charset=utf-8", "User-Agent": "usage-archive"}


@dataclass(frozen=True)
class _Timed:
    """A target, and how many seconds it has to answer."""

    target: Target
    seconds: float


def service_of(address: str, seconds: float, mailbox: str | None = None) -> Any:
    """The service that an address names. Each wait for its answer takes at most `seconds`. Raises UnusableError.

    `mailbox`: the one receiver of its mails, in place of those that the address names.
    """
    try:
        target = target_of(address)
    except IncompleteError:
        raise UnusableError("form") from None
    if target:
        return _Timed(target, seconds)
    # It takes a quarter of a second to load.
    from accounts.delivery.sending import library

    return library.service_of(address, seconds, mailbox)


def notify(service: Any, title: str, body: str, identity: str, exchanges: Exchanges) -> Failure | None:
    """Send a notice; None where all receivers took it."""
    if isinstance(service, _Timed):
        return _post(service, title, body, identity, exchanges)
    from accounts.delivery.sending import library

    exchanges.answer = library.answer_of(service)
    taken = library.notify(service, title, body, identity)
    # With status 200 the answer may say that the service did not take the message, perhaps for now.
    if taken and not (exchanges.answer.taken is not None and exchanges.failure):
        return None
    return exchanges.failure or (REFUSED_FOR_NOW if exchanges.number else ADDRESS)


def _post(service: _Timed, title: str, body: str, identity: str, exchanges: Exchanges) -> Failure | None:
    target = service.target
    exchanges.answer = target.answer
    post = target.post(title, fitted(body, title, identity, target.most), time.time())
    # In UTF-8, in which the text is fitted: `\u79ef` takes twice the bytes.
    body = json.dumps(post.content, ensure_ascii=False)
    return posts.post(post.url, {**_JSON, **post.headers}, body, service.seconds, exchanges)


def said(service: Any, address: str, exchanges: Exchanges) -> str:
    """Why the service refused a notice, in its words, without any part of the address that may be secret."""
    return answers.shown(exchanges.said, secrets_of(service, address))


def secrets_of(service: Any, address: str) -> set[str]:
    """What may be secret in an address, also as it is sent: of one that the library reads everything but its scheme."""
    if isinstance(service, _Timed):
        sent = service.target.post("", "", 0.0).headers.get("Authorization", "")
        return {*service.target.secrets, sent.rpartition(" ")[2]}
    rest = address.partition("://")[2]
    # As HTTP sends user and password.
    signed_in = base64.b64encode(unquote(rest.rpartition("@")[0]).encode()).decode()
    parts = re.split(r"[/?&=@:#]+", rest)
    return {signed_in, *parts, *map(unquote, parts)}
