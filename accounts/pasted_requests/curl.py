"""Copied as cURL, for bash, cmd or PowerShell; also all requests of a page."""

import re

from accounts.pasted_requests.copied_request import Form
from accounts.pasted_requests.shell_commands import Program, requests_of

# Behind a prompt, a variable of the environment, or with its folder.
_BEGINS = re.compile(
    r"(?:\$\s+|[A-Z]:\\[^>\n]*>\s*)?(?:[A-Z_]{2,}=\S*\s+)*(?:[\w./-]*/)?curl(?:\.exe)?\s", re.IGNORECASE
)
_OPTIONS = {
    **dict.fromkeys(("-H", "--header"), "header"),
    **dict.fromkeys(("-b", "--cookie"), "cookie"),
    **dict.fromkeys(("-A", "--user-agent"), "user-agent"),
    **dict.fromkeys(("-d", "--data", "--data-raw", "--data-binary", "--data-ascii", "--data-urlencode", "--json"), ""),
    **dict.fromkeys(
        ("-o", "--output", "-w", "--write-out", "-X", "--request", "-T", "--upload-file", "-K", "--config"), ""
    ),
    **dict.fromkeys(("-F", "--form", "--form-string", "-e", "--referer", "-x", "--proxy", "-u", "--user"), ""),
}
# Behind `--next` there is another request.
_CURL = Program({"curl", "curl.exe", "--next", "-:"}, _OPTIONS)

FORM = Form(_BEGINS.match, lambda text, _: requests_of(text, _CURL))
