"""Shared by tests of the endpoints of backups: failures, and what is audited."""

from typing import Any

from audit.models import Entry


def failed(answer: Any) -> tuple[int, str]:
    assert set(answer.json()) == {"ok", "error", "message"}
    assert answer.json()["ok"] is False
    return answer.status_code, answer.json()["error"]


def audited() -> list[tuple[str, str]]:
    return [(entry.action, entry.detail) for entry in Entry.objects.order_by("pk")]
