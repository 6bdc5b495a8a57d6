"""The refusal of a file that cannot be read at all."""

from archive_site.lib.http.api_error import ApiError
from archive_site.lib.i18n import Words
from archive_site.lib.stored_message import Message
from usage.importing.api_types import UnreadableAnswer


class UnreadableFile(ApiError):
    """400 `unreadable`: the words are a reason for the owner of the file (docs/api.md#import)."""

    def __init__(self, words: Words | Message, choice: UnreadableAnswer | None = None):
        super().__init__(400, "unreadable", words, more=choice)
        self.choice = choice or UnreadableAnswer()
