"""GET /healthz: whether the application and its store answer."""

import pytest
from django.db import OperationalError
from pytest_django import DjangoAssertNumQueries

from tests.factories import ApiClient

pytestmark = pytest.mark.django_db


def test_it_answers_ok_to_anyone(anonymous: ApiClient) -> None:
    response = anonymous.get("/healthz")
    assert (response.status_code, response.content) == (200, b"ok\n")
    assert response.headers["Content-Type"] == "text/plain"


def test_it_asks_the_store(anonymous: ApiClient, django_assert_num_queries: DjangoAssertNumQueries) -> None:
    with django_assert_num_queries(1):
        anonymous.get("/healthz")


def test_no_cache_keeps_it(anonymous: ApiClient) -> None:
    assert anonymous.get("/healthz").headers["Cache-Control"] == "no-store"


def test_it_leaves_no_cookie(anonymous: ApiClient) -> None:
    assert not anonymous.get("/healthz").cookies


def test_it_fails_with_the_store_and_does_not_say_how(anonymous: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OperationalError("marker-7f3a")

    monkeypatch.setattr("archive_site.lib.storage.sql.connection.cursor", fail)
    response = anonymous.get("/healthz")
    assert response.status_code == 500
    assert "marker" not in response.content.decode()
