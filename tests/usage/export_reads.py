"""GET /records/export as tests read it."""

from typing import Any

PATH = "/records/export"


def body(response: Any) -> bytes:
    return b"".join(response.streaming_content)


def ids(response: Any) -> list[str]:
    text = body(response).decode("utf-8-sig")
    return [line.split(",")[0].strip('"') for line in text.splitlines()[1:]]
