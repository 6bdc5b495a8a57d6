"""What an exchange with the upstream needs, and what comes of it where no answer does."""

from dataclasses import dataclass, field
from zoneinfo import ZoneInfo

from archive_site.lib.stored_message import Message
from collection.sources.codebuddy.failures import Cause


@dataclass(frozen=True)
class UpstreamSettings:
    """How to request one account's usage; `timeout` is in seconds, for each request as a whole.

    `default_user_agent` is sent if the account has no User-Agent.
    """

    api_base: str
    api_path: str
    cookie: str = field(repr=False)
    user_agent: str
    default_user_agent: str
    page_size: int
    timeout: float
    ssl_verify: bool
    server_zone: ZoneInfo
    upstream_zone: ZoneInfo


@dataclass(frozen=True)
class Trouble:
    """No answer came; `final` if another try would end the same way."""

    message: Message
    final: bool = False
    cause: Cause = "network"


def late(timeout: float) -> Trouble:
    """The trouble that the deadline of `timeout` seconds passed."""
    return Trouble(Message("answer_too_slow", seconds=f"{timeout:g}"))
