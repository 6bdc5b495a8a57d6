"""What services answer: whether they took a message, and why not, in their own words."""

import json
import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

# Of the words of a service.
LONGEST = 200
MASK = "[removed]"
# Shorter ones are masked only where they stand alone: they may be a part of any word.
_SHORT = 4
_PLAIN = re.compile(rb"[a-z_]{2,40}")


@dataclass(frozen=True)
class Answer:
    """The fields of a service's JSON: `code`, the value by which it says that it took a message, and its words.

    Without `taken` the status says it. `is_plain`: a refusal may be one word of plain text, as in `no_service`.
    """

    code: str = ""
    taken: int | None = None
    words: str = ""
    is_plain: bool = False

    def refuses(self, content: bytes) -> bool:
        """Whether a message was refused, though the status is one of success."""
        if self.taken is None:
            return False
        return bool(_fields(content).get(self.code, self.taken) != self.taken)

    def reason(self, content: bytes) -> str:
        """Why the service refused a message, as it says; empty where it does not."""
        fields = _fields(content)
        code, words = fields.get(self.code), fields.get(self.words)
        if not isinstance(words, str) or not words.strip():
            plain = self.is_plain and _PLAIN.fullmatch(content.strip())
            return plain[0].decode() if plain else ""
        # A switch is no code that one could look up.
        return f"{code} {words}" if isinstance(code, int) and not isinstance(code, bool) else words


NOTHING = Answer()


def shown(reason: str, secrets: Collection[str]) -> str:
    """A reason as people may see it: in one line, cut, and without these secrets, also percent-encoded."""
    for secret in sorted(filter(None, secrets), key=len, reverse=True):
        pattern = "".join(map(_spelled, secret))
        reason = re.sub(
            pattern if len(secret) >= _SHORT else rf"(?<!\w){pattern}(?!\w)", MASK, reason, flags=re.IGNORECASE
        )
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in reason).split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def _spelled(letter: str) -> str:
    """A pattern for a letter and all its percent-encodings; blanks are also written as +."""
    # Half a character has no other spelling.
    encoded = "".join(f"%(?:25)*{byte:02x}" for byte in letter.encode(errors="ignore")) or re.escape(letter)
    return rf"(?:{re.escape(letter)}|{encoded}{'|[+]' if letter == ' ' else ''})"


def _fields(content: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return answer if isinstance(answer, dict) else {}
