"""What a request to CodeBuddy needs (docs/upstream.md#request)."""

from dataclasses import dataclass, field
from urllib.parse import urljoin, urlsplit
from zoneinfo import ZoneInfo

from collection.sources.codebuddy.session_cookie import account_of
from collection.sources.codebuddy.token import Token
from collection.sources.codebuddy.traits import TRAITS
from collection.sources.over_http.exchange import Request

# The international service asks tokens for this.
_INTERNATIONAL, _PRODUCT = "workbuddy.ai", "workbuddy-ai"


@dataclass(frozen=True)
class UpstreamSettings:
    """How to request one account's usage; `timeout` is in seconds, for each request as a whole.

    `default_user_agent` is sent if the account has no User-Agent. With a `token` the cookie is not used.
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
    token: Token | None = None

    @property
    def secrets(self) -> str:
        """What no message may repeat, in the form of a cookie."""
        return f"token={self.token.token}" if self.token else self.cookie

    @property
    def account(self) -> str:
        """The account that the credential names; empty where it names none."""
        return self.token.account if self.token else account_of(self.cookie)

    def request(self, body: bytes, route: str = "", *, of_enterprise: bool = True) -> Request:
        """The request that the browser would send, with this body; to a `route` beside that of the calls if given.

        With a token, one that is not `of_enterprise` is about what the person has alone.
        """
        base = self.api_base.rstrip("/")
        headers = {
            "User-Agent": self.user_agent or self.default_user_agent,
            "Content-Type": "application/json",
            "Accept": "application/json",
            "Accept-Encoding": "gzip, deflate",
        }
        if self.token:
            headers |= {"Authorization": f"Bearer {self.token.token}", "X-User-Id": self.token.user_id}
            if of_enterprise:
                headers["X-Enterprise-Id"] = self.token.enterprise_id
            if (urlsplit(base).hostname or "").endswith(_INTERNATIONAL):
                headers["X-Product-Code"] = _PRODUCT
        else:
            headers |= {
                "Cookie": self.cookie,
                "Origin": base,
                "Referer": f"{base}{TRAITS.usage_page}",
                "X-Client-Platform": "web",
            }
        return Request("POST", urljoin(base + self.api_path, route), headers, body)
