"""The error of JSON views."""

from typing import Any

from archive_site.lib.i18n import Words


class ApiError(Exception):
    """An answer `{ok: false, error, message, ...}`: docs/api.md#errors. `error` None leaves the field out.

    A lazy message takes the language of the request that it answers.
    """

    def __init__(self, status: int, error: str | None, message: Words, *, retry_after: int | None = None, **extra: Any):
        super().__init__(message)
        self.status = status
        self.error = error
        self._words = message
        self.retry_after = retry_after
        self.extra = extra

    @property
    def message(self) -> str:
        return str(self._words)

    def body(self) -> dict[str, Any]:
        code = {"error": self.error} if self.error else {}
        return {"ok": False, **code, "message": self.message, **self.extra}
