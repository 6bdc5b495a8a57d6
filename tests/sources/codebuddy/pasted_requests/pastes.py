"""Shared by tests of pasted texts: the credential that they hold, and reading them for the usual upstream."""

from accounts.credentials.credential_forms import Pasted
from collection.sources.codebuddy.pasted_requests import read_pasted

HOST = "www.codebuddy.cn"
PATH = "/billing/meter/get-user-request-usage"
URL = f"https://{HOST}{PATH}"
COOKIE = "session=5f2|1790000000|ab%7Ccd; session_2=x!y"
AGENT = 'Mozilla/5.0 (X11; Linux x86_64) "quoted" Chrome/130'
ELSEWHERE = "https://stats.example.com/x"
MISSING = "is missing in the pasted text"


def read(text: str) -> Pasted:
    return read_pasted(text, URL)


def credential(text: str) -> tuple[str, str]:
    """Cookie and User-Agent of a text whose cookie raises no doubt."""
    pasted = read(text)
    assert pasted.warnings == ()
    return pasted.secret, pasted.user_agent
