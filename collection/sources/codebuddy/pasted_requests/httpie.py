"""A call of HTTPie, as API clients such as Postman and Insomnia write it, with or without a body piped into it."""

import re

from collection.sources.codebuddy.pasted_requests.copied_request import Form
from collection.sources.codebuddy.pasted_requests.shell_commands import Program, requests_of

_BEGINS = re.compile(
    r"(?:\$\s+)?(?:(?:echo|printf)\s.*?\|[\s\\]*)?https?(?:\.exe)?\s+(?:-|[A-Z]+\s|[^\s=;]*[./:])", re.DOTALL
)
# The options with a value, which is no URL of the request.
_WITH_VALUE = """
    -A --auth-type -a --auth -o --output -p --print -s --style --boundary --cert --cert-key --cert-key-pass
    --ciphers --default-scheme --format-options --max-headers --max-redirects --pretty --proxy --raw
    --response-charset --response-mime --session --session-read-only --ssl --timeout --verify
"""
_HTTPIE = Program(
    {"http", "https", "http.exe", "https.exe"}, dict.fromkeys(_WITH_VALUE.split(), ""), takes_headers=True
)

FORM = Form(_BEGINS.match, lambda text, _: requests_of(text, _HTTPIE))
