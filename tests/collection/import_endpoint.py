"""POST /api/import as tests ask for it."""

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile

from tests.factories import ApiClient
from tests.usage.import_files import HEADER

PATH = "/api/import"
ROW = "r1,1.5,why?,glm,ide,2026-09-07 12:30:00\r\n"
FILE = (HEADER + ROW).encode()


def send(api: ApiClient, content: bytes | None = FILE, name: str = "calls.csv", **fields: Any) -> Any:
    """Send the form, without a file where `content` is None."""
    form = dict(fields)
    if content is not None:
        form["file"] = SimpleUploadedFile(name, content)
    return api.client.post(PATH, form, headers={"X-CSRF-Token": api.token})
