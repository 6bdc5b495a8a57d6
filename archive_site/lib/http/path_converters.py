"""Path converters that accept any text, so that the view can answer with the reason for a refusal."""

from django.urls import register_converter
from django.urls.converters import StringConverter

from archive_site.lib.http.parameter_parsing import whole_number


class AnyText(StringConverter):
    # Includes slashes and line breaks.
    regex = "(?s:.+)"


class Number(StringConverter):
    def to_python(self, value: str) -> int:  # type: ignore[override]  # other converters give no text, too
        return whole_number(value)


register_converter(AnyText, "anything")
register_converter(Number, "number")
