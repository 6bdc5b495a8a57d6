"""A notice that fits into what a service takes."""

# Room for what a service puts around a text.
_MARGIN = 64


def fitted(body: str, title: str, identity: str, most: int) -> str:
    """The body with the notice's identity at its end, cut so that the identity stays. `most`: with the title.

    Some services count bytes, so all are treated so.
    """
    ending = f"\n\nNotice {identity}"
    room = most - _MARGIN - len(f"{title}{ending}".encode())
    text = body.encode()
    if len(text) > room:
        body = text[: max(0, room - 3)].decode(errors="ignore") + "…"
    return body + ending
