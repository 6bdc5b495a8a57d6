"""The form in which a call reaches the archive, whatever its source."""

from dataclasses import dataclass, field
from functools import cache


@dataclass(frozen=True, slots=True)
class IncomingRecord:
    """One call from the upstream or from a file, converted to the archive's units.

    `credits_micro` is credits in whole millionths, `ts` is `YYYY-MM-DD HH:MM:SS` in the server's zone.
    `prompt_truncated` is true where `prompt` is only the first part of the prompt. `prompt_given` is false where the
    source left the prompt out, true also for an empty one. `unsaid` names the fields that a file does not say, `ts` for
    its seconds and `credits` for its last decimals: a stored record keeps its own.
    """

    request_id: str
    credits_micro: int
    model: str
    client: str
    ts: str
    prompt: str
    prompt_truncated: bool
    agent_purpose: str
    prompt_given: bool = field(default=True, compare=False)
    unsaid: frozenset[str] = frozenset()

    @property
    def rank(self) -> tuple[int, str, str, str, str]:
        """Of several values of one call, which no answer dates, those of the highest rank count."""
        return self.credits_micro, self.ts, self.model, self.client, self.agent_purpose


# The bits of `CallRow.unsaid`, by field.
UNSAID = {"model": 1, "client": 2, "prompt_truncated": 4, "ts": 8, "agent_purpose": 16, "credits": 32}


@cache
def unsaid_of(bits: int) -> frozenset[str]:
    """The value of `unsaid` for these bits."""
    return frozenset(name for name, bit in UNSAID.items() if bits & bit)
