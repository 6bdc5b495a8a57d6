"""The result of a credential test, in words for the account's owner: what happened and what to do."""

from datetime import datetime
from urllib.parse import urlsplit

from django.utils.translation import gettext
from msgspec import UNSET

from archive_site.lib import clock
from collection.api_types import FailingCredential
from collection.sources.codebuddy.pasted_requests import copied_elsewhere
from collection.sources.codebuddy.session_cookie import session_expiry
from collection.sources.codebuddy.upstream_settings import UpstreamSettings
from collection.sources.source import Page, SourceFailure

# For these outcomes the detail of the failure adds something to the message.
_WITH_DETAIL = {"api_moved", "network", "api"}


def telling(page: Page) -> str:
    """The message about a good answer."""
    if page.records:
        return gettext("The cookie works.")
    if page.total and not page.skipped:
        return gettext("The cookie works. CodeBuddy counts calls of the last month, but gave none.")
    if page.total:
        return gettext("The cookie works. The newest call cannot be read; a collection skips such calls.")
    if not page.is_counted:
        return gettext("The cookie works. CodeBuddy gave no calls, and no count either.")
    return gettext("The cookie works. CodeBuddy has no calls from the last month.")


def diagnose(
    failure: SourceFailure, asked: UpstreamSettings, copied_from: str, *, has_worked: bool
) -> FailingCredential:
    """The answer about a failure.

    `copied_from` is the host of the pasted request, empty if unknown; `has_worked` means that this cookie was accepted
    before.
    """
    host = urlsplit(asked.api_base).netloc
    outcome: str = failure.cause
    if outcome not in ("refused", "expired"):
        message = _words(outcome, host)
    elif copied_from and copied_from != host:
        outcome, message = "wrong_host", copied_elsewhere(copied_from, host)
    else:
        outcome, message = _refused_cookie(asked, host, is_known=has_worked or outcome == "expired")
    detail = str(failure.message) if outcome in _WITH_DETAIL else UNSET
    return FailingCredential(False, outcome, message, detail)


def _refused_cookie(asked: UpstreamSettings, host: str, *, is_known: bool) -> tuple[str, str]:
    """Distinguish an expired cookie from that of another host or of a browser with another User-Agent.

    The upstream answers 401 to all of them, but most cookies contain their expiry.
    """
    end = session_expiry(asked.cookie)
    if is_known or end is None or end <= clock.now():
        return "expired", _expired(end)
    if not asked.user_agent:
        return "user_agent_refused", gettext(
            "CodeBuddy does not accept the cookie without the User-Agent of the browser that signed in, and none is "
            "set. Paste the whole “Copy as cURL”: it contains both."
        )
    return "wrong_host", _unknown_there() % {"host": host, "end": clock.local_text(end)}


def _unknown_there() -> str:
    return gettext(
        "%(host)s does not accept this cookie, although it is valid until %(end)s. Most likely it belongs to another "
        "host or region: copy the request from %(host)s, or ask an administrator to set api_base to the host where you "
        "sign in. If you have signed out since, or the User-Agent is that of another browser, paste a new “Copy as "
        "cURL”."
    )


def _expired(end: datetime | None) -> str:
    if end and end <= clock.now():
        words = gettext(
            "The cookie expired on %(end)s. Sign in to CodeBuddy again in your browser, copy the request again and "
            "paste it here."
        )
        return words % {"end": clock.local_text(end)}
    return gettext(
        "CodeBuddy requires a new sign-in: the cookie has expired, or you have signed out. Sign in there again in "
        "your browser, copy the request again and paste it here."
    )


def _words(cause: str, host: str) -> str:
    words = {
        "user_agent_refused": gettext(
            "CodeBuddy refuses the User-Agent, not the cookie: it must be exactly that of the browser that signed "
            "in. Paste the whole “Copy as cURL” of that browser: it contains both."
        ),
        "cookie_too_large": gettext(
            "The cookie is larger than CodeBuddy accepts (about 8 KB). Paste it with session and session_2 only, "
            "without the other cookies, especially those of analytics (such as _ga, _gid, Hm_lvt)."
        ),
        "api_moved": gettext(
            "There is no usage API at this address of %(host)s, or it has changed. An administrator can check api_base "
            "and api_path in the settings, or look for a newer release."
        ),
        "network": gettext(
            "This server cannot reach %(host)s, or it does not answer in time; the cookie was not tested. Try again; "
            "if the problem remains, an administrator can check the server's network and api_base."
        ),
        "api": gettext("%(host)s answered with an error unrelated to the cookie. Try again in a few minutes."),
    }
    return words[cause] % {"host": host}
