"""What is needed to finish an import beside its staged calls, kept in the staged file."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Plan:
    """Who imports, the most characters of a prompt, and what of an account is taken over.

    None says that the file is that of no account, so it has no runs; a further archive has runs, and nothing else.
    `young_from`: calls after this wall clock may be filled in by their service; None where it does that to none.
    `are_bills`: the file has sums of days and no calls.
    """

    actor: str
    ip: str
    max_prompt: int
    account: Mapping[str, Any] | None
    young_from: str | None = None
    are_bills: bool = False
