"""The plain form in which a billed call reaches the archive, whatever brought it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IncomingRecord:
    """One call as the upstream told it, already in the server's terms.

    `credits_micro` is credits in whole millionths, `ts` is `YYYY-MM-DD HH:MM:SS` in the server's zone.
    `prompt_truncated` says that only the first part of the prompt was given.
    """

    request_id: str
    credits_micro: int
    model: str
    client: str
    ts: str
    prompt: str
    prompt_truncated: bool
    agent_purpose: str
