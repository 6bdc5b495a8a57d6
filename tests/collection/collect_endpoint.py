"""POST /api/collect as tests ask for it, and what its checks depend on."""

from typing import Any

from accounts.models import Setting
from archive_site.lib import clock
from collection.models import Heartbeat
from tests.factories import ApiClient


def collect(api: ApiClient, **body: object) -> Any:
    return api.post("/api/collect", body)


def refused(api: ApiClient, **body: object) -> tuple[int, str]:
    answer = collect(api, **body)
    assert list(answer.json())[:3] == ["ok", "error", "message"]
    assert answer.json()["ok"] is False
    return answer.status_code, answer.json()["error"]


def interval(seconds: int) -> None:
    Setting.objects.filter(key="collect_min_interval_seconds").update(value=str(seconds))


def workers_live() -> None:
    Heartbeat.objects.update_or_create(name="scheduler", defaults={"at": clock.now()})
