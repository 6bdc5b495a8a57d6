"""The most bytes that the body of a request may hold: one limit, and a larger one for a file that is imported."""

from django.conf import settings

IMPORT_PATH = "/api/import"


def is_upload(path: str, content_type: str) -> bool:
    """Whether a request sends a file: its body is never in memory as a whole."""
    return path == IMPORT_PATH and content_type.strip().lower().startswith("multipart/form-data")


def limit_of(path: str, content_type: str) -> int:
    """The limit of a request's body, in bytes."""
    limit = settings.IMPORT_MAX_BYTES if is_upload(path, content_type) else settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    return int(limit)
