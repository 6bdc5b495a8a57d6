"""Find the cookie in a pasted text: choose its form, and of several requests the one to the source."""

import re

from accounts.credentials.credential_forms import LONGEST, Pasted
from archive_site.lib.stored_message import Message
from collection.sources.codebuddy.pasted_requests import doubts
from collection.sources.codebuddy.pasted_requests.copied_request import CopiedRequest, host_of
from collection.sources.codebuddy.pasted_requests.forms import FORMS

_COOKIE_NAME = re.compile(r"""(["']?)cookie\1\s*:""", re.IGNORECASE)
# Around a block of code in a chat, and comments before it.
_FENCE = re.compile(r"\A```\w*\n|\n```\Z|\A(?:#[ \t][^\n]*\n)+(?=curl|wget|http)")
# Before a command that was copied from a terminal: user@host:~$, [user@host folder]#, PS C:\\>, C:\\>, $ or %.
_PROMPT = re.compile(
    r"\A(?:(?:\([\w.-]+\)[ ])?\[?[\w.-]{1,64}@[^$#%>\n]{1,300}[$#%>]|PS[ ][^>\n]*>|[A-Z]:\\[^>\n]*>|[$%>❯➜])\s*"
    r"(?=(?:[A-Z_]{2,}=\S*\s+)*(?:[\w./-]*/)?(?:curl|wget|https?)(?:\.exe)?\s)",
    re.IGNORECASE,
)
_CLOSING_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’"}


def read_pasted(text: str, upstream: str) -> Pasted:
    """The cookie, and the User-Agent if there is one, in a pasted text (docs/api.md#pasted-cookies).

    `upstream` is the URL of the usage API: of several requests, the newest to its host counts. Raises ValueError with a
    message that follows "cookie" if the text is too long, is cut off, or has no cookie.
    """
    text = _FENCE.sub("", text.lstrip("\N{BYTE ORDER MARK}").strip()).strip()
    if len(text) > 1 and text[0] == text[-1] == "`":
        text = text[1:-1].strip()
    text = _PROMPT.sub("", text)
    if len(text) > LONGEST:
        raise ValueError(Message("pasted_text_too_long", most=f"{LONGEST:,}", length=f"{len(text):,}"))
    form = next((form for form in FORMS if form.begins(text)), None)
    requests = form.requests(text, upstream) if form else [CopiedRequest("", _bare_cookie(text))]
    host = host_of(upstream)
    fitting = _fitting([request for request in requests if request.cookie], host)
    if not fitting:
        raise ValueError(Message("pasted_text_without_cookie"))
    chosen = next((request for request in reversed(fitting) if doubts.sessions(request.cookie)), fitting[-1])
    return Pasted(chosen.cookie, chosen.user_agent, chosen.host, tuple(doubts.about(chosen, fitting, host)))


def _fitting(requests: list[CopiedRequest], host: str) -> list[CopiedRequest]:
    """The requests to the host; else those to an unknown host; else all."""
    to_host = [request for request in requests if request.host == host]
    return to_host or [request for request in requests if not request.host] or requests


def _bare_cookie(text: str) -> str:
    """A cookie that stands alone, without quotes around it and without the name of the header."""
    text = _without_quotes(text.strip(" ;"))
    if name := _COOKIE_NAME.match(text):
        # As in JSON: "cookie": "…",
        text = _without_quotes(text[name.end() :].strip().removesuffix(","))
    return text.strip(" ;")


def _without_quotes(text: str) -> str:
    inside = text[1:-1]
    is_quoted = len(text) > 2 and _CLOSING_QUOTES.get(text[0]) == text[-1]
    return inside.strip() if is_quoted and inside.strip() and text[-1] not in inside else text
