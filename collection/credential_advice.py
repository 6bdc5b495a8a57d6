"""What came of trying a credential, in words for its owner: what happened, and what to do about it."""

from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from django.utils.translation import gettext

from archive_site.lib import clock
from collection.upstream.client import Page, UpstreamFailure, UpstreamSettings, session_expiry

# Of these the upstream's own words say more than ours.
_WITH_DETAIL = {"api_moved", "network", "api"}


def telling(page: Page) -> str:
    """What a good answer tells."""
    if page.records:
        return gettext("The cookie works.")
    if page.total:
        return gettext("The cookie works. Its newest call cannot be read; a collection passes over such calls.")
    return gettext("The cookie works. The service knows of no call in the last month.")


def diagnose(
    failure: UpstreamFailure, asked: UpstreamSettings, copied_from: str, *, has_worked: bool
) -> dict[str, Any]:
    """The answer about a failure.

    `copied_from` is the host that the pasted request went to, empty if unknown; `has_worked` says that this cookie was
    good before.
    """
    host = urlsplit(asked.api_base).netloc
    outcome: str = failure.cause
    if outcome not in ("refused", "expired"):
        message = _words(outcome, host)
    elif copied_from and copied_from != host:
        outcome, message = "wrong_host", _copied_elsewhere() % {"host": host, "other": copied_from}
    else:
        outcome, message = _refused_cookie(asked, host, is_known=has_worked or outcome == "expired")
    detail = {"detail": str(failure.message)} if outcome in _WITH_DETAIL else {}
    return {"ok": False, "outcome": outcome, "message": message, **detail}


def _refused_cookie(asked: UpstreamSettings, host: str, *, is_known: bool) -> tuple[str, str]:
    """Tell an old cookie from one of elsewhere, or of a browser with another User-Agent.

    The upstream answers 401 to all of them; but most cookies say until when they are good.
    """
    end = session_expiry(asked.cookie)
    if is_known or end is None or end <= clock.now():
        return "expired", _expired(end)
    if not asked.user_agent:
        return "user_agent_refused", gettext(
            "The service does not accept the cookie without the User-Agent of the browser that signed in, and none is "
            "set. Paste the whole “Copy as cURL”: it brings both."
        )
    return "wrong_host", _unknown_there() % {"host": host, "end": clock.local_text(end)}


def _copied_elsewhere() -> str:
    return gettext(
        "The request was copied from %(other)s, but this archive asks %(host)s, and a cookie of one is worth nothing "
        "at the other. Copy the request from %(host)s, or have an administrator set api_base to where you sign in."
    )


def _unknown_there() -> str:
    return gettext(
        "%(host)s does not know this cookie, although by its own date it is good until %(end)s. Most likely it belongs "
        "to another host or region: copy the request from %(host)s, or have an administrator set api_base to where you "
        "sign in. Or you signed out since, or the User-Agent is another browser's: then paste a new “Copy as cURL”."
    )


def _expired(end: datetime | None) -> str:
    if end and end <= clock.now():
        words = gettext(
            "By its own date the cookie expired on %(end)s. Sign in to the service again in your browser, copy the "
            "request anew and paste it here."
        )
        return words % {"end": clock.local_text(end)}
    return gettext(
        "The service asks for a new sign-in: the cookie has expired, or was ended by signing out. Sign in there again "
        "in your browser, copy the request anew and paste it here."
    )


def _words(cause: str, host: str) -> str:
    words = {
        "user_agent_refused": gettext(
            "The service refuses the User-Agent, not the cookie: it must be, letter by letter, that of the browser "
            "which signed in. Paste the whole “Copy as cURL” of that browser: it brings both."
        ),
        "cookie_too_large": gettext(
            "The cookie is larger than the service takes (about 8 KB). Paste it with session and session_2 only, and "
            "leave out the others, first of all those of analytics (such as _ga, _gid, Hm_lvt)."
        ),
        "api_moved": gettext(
            "There is no usage API at this address of %(host)s, or not as this archive knows it: it may have moved. "
            "An administrator can check api_base and api_path in the settings, or look for a newer release."
        ),
        "network": gettext(
            "%(host)s cannot be reached from this server, or does not answer in time; the cookie was not looked at. "
            "Try again; if it stays so, an administrator can check the server's network and api_base."
        ),
        "api": gettext(
            "%(host)s answered with an error that says nothing about the cookie. Try again in a few minutes."
        ),
    }
    return words[cause] % {"host": host}
