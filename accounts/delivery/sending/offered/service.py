"""What the services have in common: the parts of an address, and a target that makes requests."""

import base64
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from accounts.delivery.sending.answers import NOTHING, Answer

# Tokens and keys as the services make them.
TOKEN = re.compile(r"[A-Za-z0-9_-]+")


class IncompleteError(ValueError):
    """An address whose part for its service is missing, or cannot be one; `whole` is an example of a whole one.

    Without `part` it is of a page of the service.
    """

    def __init__(self, part: str, whole: str) -> None:
        super().__init__(part)
        self.part, self.whole = part, whole


@dataclass(frozen=True)
class Url:
    """The parts of an address, decoded; `origin` is scheme, host and port, `place` host and port as written."""

    origin: str
    place: str
    host: str
    user: str = field(repr=False)
    password: str = field(repr=False)
    segments: tuple[str, ...] = field(repr=False)
    query: Mapping[str, str] = field(repr=False)

    @classmethod
    def of(cls, text: str) -> "Url":
        """Raises ValueError where the text is no address."""
        parts = urlsplit(text)
        credentials, _, place = parts.netloc.rpartition("@")
        user, _, password = credentials.partition(":")
        if not parts.hostname or parts.port == 0:
            raise ValueError("no host")
        return cls(
            origin=f"{parts.scheme}://{place}",
            place=unquote(place),
            # The dot of a whole name leads to the same host.
            host=parts.hostname.rstrip("."),
            user=unquote(user),
            password=unquote(password),
            segments=tuple(unquote(segment) for segment in parts.path.split("/") if segment),
            query=dict(parse_qsl(parts.query)),
        )

    def beside(self, *used: str) -> tuple[str, ...]:
        """The names of its parameters beside those that are used."""
        return tuple(name for name in self.query if name not in used)

    def after(self, *path: str) -> str:
        """The one segment that follows this path; empty where there is none, or another behind it."""
        *begin, last = self.segments or ("",)
        return last if tuple(begin) == path else ""


@dataclass(frozen=True)
class Post:
    """A request with a JSON body."""

    url: str = field(repr=False)
    content: Mapping[str, Any] = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Target:
    """Where and how a service is sent a notice.

    `post` makes the request of title, text and the present time in seconds. `most`: bytes of title and text together.
    `secrets` are the parts of the address that no text may show. `unused`: parameters of the address without effect.
    """

    service: str
    post: Callable[[str, str, float], Post] = field(repr=False)
    most: int
    secrets: tuple[str, ...] = field(default=(), repr=False)
    answer: Answer = field(default=NOTHING, repr=False)
    receivers: int = 1
    unused: tuple[str, ...] = ()


def in_path(text: str) -> str:
    """One segment of a path; nothing in it opens another."""
    return quote(text, safe=":")


def in_one(title: str, text: str) -> str:
    """Title and text for a service that has one field."""
    return f"{title}\n{text}"


def authorization(url: Url) -> dict[str, str]:
    """The header for a user with a password, or for a token, which stands in the place of either alone."""
    if url.user and url.password:
        return {"Authorization": "Basic " + base64.b64encode(f"{url.user}:{url.password}".encode()).decode()}
    token = url.user or url.password
    return {"Authorization": f"Bearer {token}"} if token else {}
