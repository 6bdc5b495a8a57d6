"""One call of the upstream client against a server that plays a script, and its outcome."""

import time
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from archive_site.lib.stored_message import Message
from collection.sources.codebuddy.reader import Upstream
from collection.sources.codebuddy.upstream_settings import UpstreamSettings
from collection.sources.source import Page, SourceFailure
from tests.collection.scripted_upstream import ScriptedUpstream, Step

SHANGHAI = ZoneInfo("Asia/Shanghai")
NEW_YORK = ZoneInfo("America/New_York")
MARKER = "marker0cookie0value"
COOKIE = f"session={MARKER}|1788795725|hash; session_2={MARKER}"
START = datetime(2026, 8, 31, tzinfo=SHANGHAI)
END = datetime(2026, 9, 7, 23, 59, 59, 999_999, tzinfo=SHANGHAI)
HTML = "\ufeff\n <html>sign in</html>"


def settings(url: str, **changes: Any) -> UpstreamSettings:
    values: dict[str, Any] = {
        "api_base": url,
        "api_path": "/billing/meter/get-user-request-usage",
        "cookie": COOKIE,
        "user_agent": "Mozilla/5.0 (Tést) 1.2.3",
        "default_user_agent": "usage-archive/1.2.3",
        "page_size": 200,
        "timeout": 5.0,
        "ssl_verify": True,
        "server_zone": SHANGHAI,
        "upstream_zone": SHANGHAI,
    }
    return UpstreamSettings(**{**values, **changes})


class Asked:
    """The outcome of one call: a page or a failure, the waits and notes, and the requests that the server got.

    With `an_hour_passes`, time stands still for the client until it waits in a step that hangs or drips; then it is an
    hour later, and `left` is whether it leaves.
    """

    def __init__(
        self,
        *steps: Step,
        number: int = 1,
        size: int | None = None,
        an_hour_passes: bool = False,
        **changes: Any,
    ) -> None:
        self.waits: list[float] = []
        self.notes: list[str] = []
        self.got: Page | None = None
        self.failure: SourceFailure | None = None
        started = time.monotonic()
        with ScriptedUpstream(*steps) as self.server:
            options = settings(self.server.url, **changes)
            seconds = self._seconds if an_hour_passes else time.monotonic
            with Upstream(options, sleep=self.waits.append, monotonic=seconds, note=self._note) as client:
                try:
                    self.got = client.page(START, END, number, size)
                except SourceFailure as failure:
                    self.failure = failure
            self.seconds = time.monotonic() - started
            self.left = self.server.left.wait(20 if an_hour_passes else 0)

    def _seconds(self) -> float:
        return 3600.0 if self.server.hangs.is_set() else 0.0

    def _note(self, line: Message) -> None:
        self.notes.append(str(line))

    @property
    def page(self) -> Page:
        assert self.got, self.failure
        return self.got

    @property
    def outcome(self) -> str:
        assert self.failure
        return self.failure.outcome

    @property
    def message(self) -> str:
        return str(self.failure)
