"""What a verb works with."""

from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from archive_site.client.connection import Server
from archive_site.client.outcome import ExitCode, Failure
from archive_site.client.screen import Screen


@dataclass(frozen=True)
class Call:
    """One call of the command."""

    options: Namespace
    server: Server
    screen: Screen

    @property
    def filters(self) -> dict[str, Any]:
        """The options that are parameters of a read, by their names there. Raises Failure for a text that is none."""
        given = ((name, getattr(self.options, name, None)) for name in PARAMETERS)
        found = {name: value for name, value in given if value not in (None, [])}
        try:
            urlencode(found, doseq=True)
        except UnicodeEncodeError:
            raise Failure(ExitCode.USAGE, "an option holds bytes that are no text.") from None
        return found


Verb = Callable[[Call], ExitCode]
PARAMETERS = (
    "from", "to", "model", "no_model", "client", "no_client", "purpose", "no_purpose", "compare",
    "q", "free", "with_prompt", "credits_above", "tokens_above", "hour", "order", "columns", "lang", "n",
)  # fmt: skip
