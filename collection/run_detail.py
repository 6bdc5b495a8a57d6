"""The detail of a run: one line of JSON for each step, read back as lines of text in the reader's language."""

from datetime import datetime

from archive_site.lib import clock, stored_message
from archive_site.lib.stored_message import Message

LEFT_OUT = f"{Message('lines_left_out').stored()}\n"


def stored_line(at: datetime, line: Message | str) -> str:
    """A line in the form in which the store keeps it."""
    moment = clock.local_text(at) or ""
    return f"{line.stored(at=moment)}\n" if isinstance(line, Message) else f"{moment} {line}\n"


def text_of(stored: str) -> str:
    """The lines of a stored detail as text; a line that is no known message is unchanged."""
    return "\n".join(map(_line_text, stored.split("\n")))


def _line_text(line: str) -> str:
    found = stored_message.read_line(line)
    if found is None:
        return line
    at, message = found
    text = " ".join(str(message).splitlines())
    return f"{at} {text}" if at else text
