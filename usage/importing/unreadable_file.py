"""The refusal of a file that cannot be read at all."""

from django.utils.translation import gettext_lazy

from archive_site.lib.http.api_error import ApiError
from archive_site.lib.i18n import Words, filled
from archive_site.lib.stored_message import Message
from usage.importing.api_types import UnreadableAnswer


class UnreadableFile(ApiError):
    """400 `unreadable`: the words are a reason for the owner of the file (docs/api.md#import)."""

    def __init__(self, words: Words | Message, choice: UnreadableAnswer | None = None):
        super().__init__(400, "unreadable", words, more=choice)
        self.choice = choice or UnreadableAnswer()


def of_another_unit(theirs: str, own: str) -> UnreadableFile:
    """The refusal of a file whose amounts are in another unit than those of the archive."""
    words = gettext_lazy("It counts in %(theirs)s, and the archive in %(own)s. Choose another archive.")
    return UnreadableFile(filled(words, theirs=theirs, own=own))
