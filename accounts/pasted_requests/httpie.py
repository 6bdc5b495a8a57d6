"""A call of HTTPie, as API clients such as Postman and Insomnia write it, with or without a body piped into it."""

import re

from accounts.pasted_requests.copied_request import Form
from accounts.pasted_requests.shell_commands import Program, requests_of

_BEGINS = re.compile(
    r"(?:\$\s+)?(?:(?:echo|printf)\s.*?\|[\s\\]*)?https?(?:\.exe)?\s+(?:-|[A-Z]+\s|[^\s=;]*[./:])", re.DOTALL
)
_HTTPIE = Program({"http", "https", "http.exe", "https.exe"}, takes_headers=True)

FORM = Form(_BEGINS.match, lambda text, _: requests_of(text, _HTTPIE))
