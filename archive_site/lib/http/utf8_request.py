"""The request class: texts are UTF-8, whatever the request says about them.

Django decodes query and form by the charset that the client names. With some of Python's charsets this fails, partly
before Django handles errors, so any visitor could fill the log with tracebacks.
"""

from typing import Any

from django.core.handlers.wsgi import WSGIRequest
from django.http.multipartparser import MultiPartParserError
from django.utils.http import parse_header_parameters


class Utf8Request(WSGIRequest):
    def _set_content_type_params(self, meta: dict[str, Any]) -> None:
        try:
            self.content_type, self.content_params = parse_header_parameters(meta.get("CONTENT_TYPE", ""))
        except (ValueError, LookupError):
            self.content_type, self.content_params = "", {}

    def _load_post_and_files(self) -> None:
        try:
            super()._load_post_and_files()
        except LookupError:
            raise MultiPartParserError("A part names an unknown charset.") from None
