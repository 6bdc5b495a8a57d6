"""Shared by tests of conditional reads: the reads, and requests with a tag."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from accounts.models import User
from collection.models import Run
from tests.factories import ApiClient

ApiOf = Callable[[User], ApiClient]
NOON = datetime(2026, 9, 8, 10, 0, tzinfo=UTC)  # 12:00 in Berlin

READS = [
    "summary", "daily", "dims", "top", "records", "records/r1", "bundle", "manifest", "repeated", "runs", "runs/{run}",
]  # fmt: skip


def address(path: str) -> str:
    return "/api/" + path.format(run=Run.objects.values_list("pk", flat=True).last())


def asked(visitor: ApiClient, path: str, tag: str = "", **params: str) -> Any:
    return visitor.client.get(address(path), params, headers={"If-None-Match": tag} if tag else {})


def tag_of(visitor: ApiClient, path: str, **params: str) -> str:
    response = asked(visitor, path, **params)
    assert response.status_code == 200
    tag: str = response.headers["ETag"]
    return tag
