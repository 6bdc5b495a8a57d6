"""Request ids as answers have them. Pure functions."""

from archive_site.lib.stored_message import Message
from usage.importing.request_ids import is_placeholder
from usage.incoming import values as incoming_values
from usage.incoming.values import UnreadableRow


def id_of(value: object) -> str:
    """The id of a call. Raises UnreadableRow, and MissingRequestId where there is none."""
    if isinstance(value, dict | list | bool):
        raise UnreadableRow(Message("request_id_not_text"))
    found = incoming_values.request_id(value)
    if "\ufffd" in found:
        # Two ids may differ in what stands here for them.
        raise UnreadableRow(Message("request_id_damaged"))
    if is_placeholder(found):
        # What a program writes where it has no id costs its row only; a missing id breaks the answer.
        raise UnreadableRow(Message("request_id_missing"))
    return found
