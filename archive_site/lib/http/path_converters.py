"""A part of an address that may be any text, so that the view can say what is wrong with it."""

from django.urls import register_converter
from django.urls.converters import StringConverter


class AnyText(StringConverter):
    # Slashes and line breaks, too.
    regex = "(?s:.+)"


register_converter(AnyText, "anything")
