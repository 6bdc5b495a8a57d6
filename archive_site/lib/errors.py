"""The one error of JSON views."""

from typing import Any


class ApiError(Exception):
    """An answer `{ok: false, error, message, ...}` (specification 7). `error` None leaves the field out."""

    def __init__(self, status: int, error: str | None, message: str, *, retry_after: int | None = None, **extra: Any):
        super().__init__(message)
        self.status = status
        self.error = error
        self.message = message
        self.retry_after = retry_after
        self.extra = extra

    def body(self) -> dict[str, Any]:
        code = {"error": self.error} if self.error else {}
        return {"ok": False, **code, "message": self.message, **self.extra}
