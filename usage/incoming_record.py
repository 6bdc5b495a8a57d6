"""The form in which a call reaches the archive, whatever its source."""

from dataclasses import dataclass, field
from functools import cache


@dataclass(frozen=True, slots=True)
class IncomingRecord:
    """One call from the upstream or from a file, converted to the archive's units.

    `credits_micro` is credits in whole millionths, `ts` is `YYYY-MM-DD HH:MM:SS` in the server's zone.
    `prompt_truncated` is true where `prompt` is only the first part of the prompt. `prompt_given` is false where the
    source left the prompt out, true also for an empty one. `unsaid` names the fields that a file does not have: a
    stored record keeps its own.
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


@cache
def unsaid_of(model: bool, client: bool, prompt_truncated: bool) -> frozenset[str]:
    """The value of `unsaid` for a source that does not have these fields."""
    fields = {"model": model, "client": client, "prompt_truncated": prompt_truncated}
    return frozenset(name for name, is_unsaid in fields.items() if is_unsaid)
