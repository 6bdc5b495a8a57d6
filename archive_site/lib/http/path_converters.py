"""A path converter that accepts any text, so that the view can answer with the reason for a refusal."""

from django.urls import register_converter
from django.urls.converters import StringConverter


class AnyText(StringConverter):
    # Includes slashes and line breaks.
    regex = "(?s:.+)"


register_converter(AnyText, "anything")
