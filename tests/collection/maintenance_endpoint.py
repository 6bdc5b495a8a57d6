"""POST /api/maintenance/<action> as tests ask for it."""

from collections.abc import Callable
from typing import Any

from accounts.models import User
from audit.models import Entry
from tests.factories import ApiClient

ApiOf = Callable[[User], ApiClient]


def ask(api: ApiClient, action: str, **body: str) -> Any:
    return api.post(f"/api/maintenance/{action}", body)


def refused(api: ApiClient, action: str) -> tuple[int, str]:
    answer = ask(api, action)
    assert list(answer.json()) == ["ok", "error", "message"]
    assert answer.json()["ok"] is False
    return answer.status_code, answer.json()["error"]


def audited() -> list[str]:
    return list(Entry.objects.filter(action__startswith="maintenance").order_by("pk").values_list("action", flat=True))
