"""What a request to CodeBuddy needs (docs/upstream.md#request)."""

from dataclasses import dataclass, field
from urllib.parse import urljoin
from zoneinfo import ZoneInfo

from collection.sources.codebuddy.traits import TRAITS
from collection.sources.over_http.exchange import Request


@dataclass(frozen=True)
class UpstreamSettings:
    """How to request one account's usage; `timeout` is in seconds, for each request as a whole.

    `default_user_agent` is sent if the account has no User-Agent.
    """

    api_base: str
    api_path: str
    cookie: str = field(repr=False)
    user_agent: str
    default_user_agent: str
    page_size: int
    timeout: float
    ssl_verify: bool
    server_zone: ZoneInfo
    upstream_zone: ZoneInfo

    def request(self, body: bytes, route: str = "") -> Request:
        """The request that the browser would send, with this body; to a `route` beside that of the calls if given."""
        base = self.api_base.rstrip("/")
        headers = {
            "Cookie": self.cookie,
            "User-Agent": self.user_agent or self.default_user_agent,
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Accept-Encoding": "gzip, deflate",
            "Origin": base,
            "Referer": f"{base}{TRAITS.usage_page}",
            "X-Client-Platform": "web",
        }
        return Request("POST", urljoin(base + self.api_path, route), headers, body)
