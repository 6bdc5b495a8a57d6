"""The nodes of an instance as administrators see them (docs/decisions/nodes.md#nodes)."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.conf import settings

from accounts.models import User
from archive_site.lib import clock
from collection import nodes
from collection.models import Heartbeat
from tests.factories import ApiClient

pytestmark = [pytest.mark.postgres_only, pytest.mark.django_db]
ApiOf = Callable[[User], ApiClient]


def beat_of(name: str, **ago: float) -> None:
    Heartbeat.objects.create(name=f"workers of {name}", at=clock.now() - timedelta(**ago))


def test_administrators_see_each_node_with_its_age(root: User, api_of: ApiOf) -> None:
    beat_of("worker-2", minutes=1)
    beat_of("worker-1", minutes=4)
    listed = api_of(root).get("/api/status").json()["nodes"]
    assert [(node["name"], node["gone"]) for node in listed] == [("worker-1", True), ("worker-2", False)]
    assert [round(node["seconds"], -1) for node in listed] == [240, 60]


def test_an_ordinary_account_sees_no_node(alice: User, api_of: ApiOf) -> None:
    beat_of("worker-1")
    assert api_of(alice).get("/api/status").json()["nodes"] is None
    assert "worker-1" not in api_of(alice).get("/runs").content.decode()


def test_the_page_of_runs_lists_them(root: User, api_of: ApiOf) -> None:
    beat_of("worker-1", seconds=10)
    beat_of("worker-2", minutes=5)
    page = api_of(root).get("/runs").content.decode()
    assert "worker-1" in page
    assert "its workers were seen 10 s ago" in page
    assert "gone; its workers were last seen at" in page


def test_a_heartbeat_from_the_future_does_not_count(db: None) -> None:
    beat_of(settings.NODE, minutes=-5)
    assert not nodes.works_here()
    nodes.beat()
    assert nodes.works_here()


def test_only_those_of_other_nodes_are_others(db: None) -> None:
    nodes.beat()
    assert not nodes.others_work()
    beat_of("worker-2")
    assert nodes.others_work()


def test_a_node_that_leaves_is_not_listed(db: None) -> None:
    nodes.beat()
    nodes.leave()
    assert nodes.known() == []


def test_one_that_is_gone_for_a_day_is_forgotten(db: None) -> None:
    beat_of("worker-1", hours=25)
    beat_of("worker-2", hours=23)
    nodes.forget_gone()
    assert [node.name for node in nodes.known()] == ["worker-2"]
