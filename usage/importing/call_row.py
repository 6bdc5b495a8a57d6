"""A call of a file, in the columns in which it waits to be compared or stored."""

from typing import NamedTuple

from usage.incoming_record import IncomingRecord, unsaid_of


class CallRow(NamedTuple):
    """One call; None in `model`, `client` and `truncated`: the row of the file does not have it.

    A tuple, because a million of them are made, and they go into a table as they are.
    """

    request_id: str
    credits: int
    model: str | None
    client: str | None
    ts: str
    prompt: str
    truncated: bool | int | None
    purpose: str

    def record(self) -> IncomingRecord:
        """The call in the form in which it reaches the archive."""
        model, client, truncated = self.model, self.client, self.truncated
        return IncomingRecord(
            self.request_id,
            self.credits,
            model or "",
            client or "",
            self.ts,
            self.prompt,
            bool(truncated),
            self.purpose,
            unsaid=unsaid_of(model is None, client is None, truncated is None),
        )
