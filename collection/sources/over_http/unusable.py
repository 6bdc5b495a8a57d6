"""The failures for answers that are none of a contract. Pure functions."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from archive_site.lib.stored_message import Message
from collection.sources.over_http.concealment import MAX_WORDS, concealed
from collection.sources.source import UnusableAnswer
from usage.incoming.values import text


def broken(why: Message) -> UnusableAnswer:
    """Give the failure for an unusable answer, with the reason."""
    return UnusableAnswer("api", Message("answer_broken", why=why), "api_moved")


def unknown_form(why: Message, payload: Mapping[str, object], secrets: Iterable[str]) -> UnusableAnswer:
    """Give the failure for an answer without the form that is known, with the reason and the keys that came."""
    secrets = tuple(secrets)
    # Concealed before they are cut: a part of a value would not be found.
    named = ", ".join(concealed(text(key), secrets)[:40] for key in islice(_keys(payload), 20))[:MAX_WORDS] or "-"
    return UnusableAnswer("api", Message("answer_of_unknown_form", why=why, keys=named), "api_moved")


def looks_like_html(body: bytes | bytearray) -> bool:
    return body[:64].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


def _keys(found: object, outer: str = "") -> Iterator[str]:
    """The keys of an answer, of its `data`, and of the first row there, which is an object or not."""
    if isinstance(found, list):
        found = found[0] if found else None
    if isinstance(found, dict):
        yield from (f"{outer}{key}" for key in found)
        if outer.count(".") < 2:
            yield from _keys(found.get("data"), f"{outer}data.")
