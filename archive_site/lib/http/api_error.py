"""The error of JSON views."""

from typing import Any

from archive_site.lib.http.answer_types import Answer, as_json
from archive_site.lib.i18n import Words
from archive_site.lib.stored_message import Message


class ApiError(Exception):
    """An answer `{ok: false, error, message, ...}`: docs/api.md#errors. `error` None leaves the field out.

    A lazy text and a stored message take the language of the request that they answer. `more` are further fields.
    """

    def __init__(
        self,
        status: int,
        error: str | None,
        words: Words | Message,
        *,
        retry_after: int | None = None,
        more: Answer | None = None,
        **extra: Any,
    ):
        super().__init__(words)
        self.status = status
        self.error = error
        self.words = words
        self.retry_after = retry_after
        self.extra = extra | (as_json(more) if more else {})

    @property
    def message(self) -> str:
        return str(self.words)

    def body(self) -> dict[str, Any]:
        code = {"error": self.error} if self.error else {}
        return {"ok": False, **code, "message": self.message, **self.extra}
