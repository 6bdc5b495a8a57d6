"""A call of wget, as API clients such as Postman write it."""

import re

from accounts.pasted_requests.copied_request import Form
from accounts.pasted_requests.shell_commands import Program, requests_of

_BEGINS = re.compile(r"(?:\$\s+)?wget(?:\.exe)?\s", re.IGNORECASE)
_OPTIONS = {
    "--header": "header",
    **dict.fromkeys(("-U", "--user-agent"), "user-agent"),
    **dict.fromkeys(("--post-data", "--body-data", "--referer", "--method", "-O", "--output-document"), ""),
}
_WGET = Program({"wget", "wget.exe"}, _OPTIONS)

FORM = Form(_BEGINS.match, lambda text, _: requests_of(text, _WGET))
