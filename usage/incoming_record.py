"""The form in which a call reaches the archive, whatever its source."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class IncomingRecord:
    """One call from the upstream, converted to the archive's units.

    `credits_micro` is credits in whole millionths, `ts` is `YYYY-MM-DD HH:MM:SS` in the server's zone.
    `prompt_truncated` is true where `prompt` is only the first part of the prompt. `prompt_given` is false where the
    source left the prompt out, true also for an empty one.
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
