"""The forms of copied requests, in the order in which they are tried."""

from collection.sources.codebuddy.pasted_requests import (
    cookie_json,
    cookies_txt,
    curl,
    fetch,
    har,
    headers_pane,
    httpie,
    powershell,
    request_headers,
    wget,
)

# The text `pasted_text_without_cookie` in accounts/message_templates.py names all of them.
FORMS = (
    curl.FORM,
    wget.FORM,
    httpie.FORM,
    fetch.FORM,
    har.FORM,
    cookie_json.FORM,
    cookies_txt.FORM,
    headers_pane.FORM,
    request_headers.FORM,
    powershell.FORM,
)
