"""What is sent to a service, what comes back, and what comes of it where no answer does."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from archive_site.lib.stored_message import Message

# Overload, of the service or of what stands before it, which passes.
PASSING = {429, 500, 502, 503, 504, 524, 529}


@dataclass(frozen=True)
class Request:
    """One HTTP request; its headers hold the credential."""

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """One HTTP answer; `body` is decompressed, and empty if it was `over_cap`."""

    status: int
    location: str
    retry_after: str
    body: bytes | bytearray = field(repr=False)
    over_cap: bool = False
    headers: Mapping[str, str] = field(default_factory=dict, repr=False, compare=False)

    @property
    def is_passing(self) -> bool:
        """Whether another try may be answered otherwise."""
        return self.status in PASSING


@dataclass(frozen=True)
class Trouble:
    """No answer came; `final` if another try would end the same way. It `is_late` where the deadline passed."""

    message: Message
    final: bool = False
    cause: Literal["network", "api"] = "network"
    is_late: bool = False


def late(timeout: float) -> Trouble:
    """The trouble that the deadline of `timeout` seconds passed."""
    return Trouble(Message("answer_too_slow", seconds=f"{timeout:g}"), is_late=True)
