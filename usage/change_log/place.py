"""A place in the history of an archive, as a text that a mirror keeps (docs/api.md#changes)."""

import binascii
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass

# After all records of a number.
END = 2**63 - 1


@dataclass(frozen=True)
class Place:
    """After a record of a number; `store` and `user_id` say which archive it belongs to."""

    store: str
    archive_id: int
    number: int = 0
    record_id: int = END

    @classmethod
    def read(cls, text: str) -> "Place | None":
        """The place of a text that `as_text` made; None for any other text."""
        try:
            found = json.loads(urlsafe_b64decode(text.encode() + b"=="))
        except (ValueError, binascii.Error, RecursionError):
            return None
        if not isinstance(found, list) or [*map(type, found)] != [str, int, int, int]:
            return None
        place = cls(*found)
        return place if 0 <= place.number < END and 0 <= place.record_id <= END else None

    def as_text(self) -> str:
        given = json.dumps([self.store, self.archive_id, self.number, self.record_id])
        return urlsafe_b64encode(given.encode()).decode().rstrip("=")
