"""POST /api/import as tests ask for it."""

from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile

from tests.factories import ApiClient

PATH = "/api/import"


def send(api: ApiClient, content: str | bytes | None, name: str = "calls.csv", **fields: Any) -> Any:
    """Send the form, without a file where `content` is None."""
    form = dict(fields)
    if content is not None:
        form["file"] = SimpleUploadedFile(name, content.encode() if isinstance(content, str) else content)
    return api.client.post(PATH, form, headers={"X-CSRF-Token": api.token})
