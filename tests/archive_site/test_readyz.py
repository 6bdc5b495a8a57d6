"""GET /readyz: what this process lacks to serve."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.core.cache import caches
from django.db import OperationalError, connection
from django.db.migrations.recorder import MigrationRecorder
from redis.exceptions import ConnectionError as RedisConnectionError

from accounts.models import User
from archive_site import probes
from archive_site.lib import clock
from archive_site.lib.locks.write_freeze import frozen
from collection.models import Heartbeat
from collection.runs.run_start import HEARTBEAT
from collection.schedule.scheduler import beat
from tests.factories import ApiClient

pytestmark = pytest.mark.django_db


def missing(anonymous: ApiClient) -> list[str]:
    response = anonymous.get("/readyz")
    answer = response.json()
    assert list(answer) == ["ready", "missing"]
    assert (response.status_code, answer["ready"]) == ((503, False) if answer["missing"] else (200, True))
    return list(answer["missing"])


@contextmanager
def without(path: Path) -> Iterator[None]:
    aside = path.rename(path.with_name("aside"))
    try:
        yield
    finally:
        aside.rename(path)


def test_nothing_is_missing(anonymous: ApiClient) -> None:
    response = anonymous.get("/readyz")
    assert (response.status_code, response.json()) == (200, {"ready": True, "missing": []})
    assert response.headers["Cache-Control"] == "no-store"


def test_a_store_that_does_not_answer(anonymous: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OperationalError("marker-7f3a")

    monkeypatch.setattr("archive_site.lib.storage.sql.connection.cursor", fail)
    # What the store would say about migrations and workers is not known.
    assert missing(anonymous) == ["database"]
    assert "marker" not in anonymous.get("/readyz").content.decode()


def test_a_migration_that_is_not_applied(anonymous: ApiClient) -> None:
    newest = MigrationRecorder.Migration.objects.filter(app="usage").order_by("name").last()
    assert newest is not None
    newest.delete()
    assert missing(anonymous) == ["migrations"]


def test_a_store_of_a_newer_version(anonymous: ApiClient) -> None:
    MigrationRecorder.Migration.objects.create(id=10**6, app="usage", name="9999_of_a_later_version")
    assert missing(anonymous) == ["version"]


@pytest.mark.parametrize("name", ["instance_key", "secret_key"])
def test_a_key_file_that_is_gone(name: str, anonymous: ApiClient) -> None:
    with without(getattr(django_settings.DATA_FOLDER, name)):
        assert missing(anonymous) == [name]


def test_a_key_file_that_holds_no_key(anonymous: ApiClient) -> None:
    path = django_settings.DATA_FOLDER.instance_key
    with without(path):
        path.write_text("no key")
        assert missing(anonymous) == ["instance_key"]


def test_a_log_that_cannot_be_written(anonymous: ApiClient) -> None:
    log = django_settings.DATA_FOLDER.log
    log.touch()
    with without(log):
        log.mkdir()
        assert missing(anonymous) == ["log"]
        log.rmdir()
    assert missing(anonymous) == []


def test_a_log_on_standard_output_needs_no_file(anonymous: ApiClient, settings: Any) -> None:
    settings.LOG_TO_STDOUT = True
    log = django_settings.DATA_FOLDER.log
    log.touch()
    with without(log):
        log.mkdir()
        assert missing(anonymous) == []
        log.rmdir()


def test_redis_that_does_not_answer(anonymous: ApiClient, settings: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(key: str, value: object, timeout: int) -> None:
        raise RedisConnectionError("marker-7f3a")

    settings.REDIS_URL = "redis://host:6379/0"
    monkeypatch.setattr(caches["counters"], "set", fail)
    assert missing(anonymous) == ["redis"]


@pytest.mark.postgres_only
@pytest.mark.django_db(transaction=True)
def test_a_server_that_only_reads_is_missing_and_refuses_in_words(anonymous: ApiClient, alice: User) -> None:
    api = ApiClient.signed_in(alice)
    with connection.cursor() as cursor:
        cursor.execute("SET default_transaction_read_only = on")
        try:
            assert missing(anonymous) == ["database"]
            answers = [
                api.post("/api/profile", {"display_name": "A"}),
                api.get("/records/export"),
                anonymous.get("/captcha.png"),
            ]
        finally:
            cursor.execute("RESET default_transaction_read_only")
    assert [answer.status_code for answer in answers] == [503] * 3
    assert missing(anonymous) == []


@pytest.mark.django_db(transaction=True)
def test_a_restore_that_holds_off_writes(anonymous: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    # The request is answered in this thread, which would count as the restore.
    with frozen(), monkeypatch.context() as patch:
        patch.setattr("archive_site.lib.locks.write_freeze._mine", type("_", (), {"share": None, "holds_all": False})())
        assert missing(anonymous) == ["writes"]
    assert missing(anonymous) == []


def silent_for_four_minutes() -> None:
    Heartbeat.objects.update_or_create(name=HEARTBEAT, defaults={"at": clock.now() - timedelta(minutes=4)})


def no_heartbeat() -> None:
    Heartbeat.objects.all().delete()


@pytest.mark.parametrize("given", [silent_for_four_minutes, no_heartbeat])
def test_workers_that_are_silent(
    given: Callable[[], None], anonymous: ApiClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    given()
    monkeypatch.setenv(probes.WORKERS, "1")
    assert missing(anonymous) == ["workers"]


def test_workers_that_are_alive(anonymous: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    beat(clock.now())
    monkeypatch.setenv(probes.WORKERS, "1")
    assert missing(anonymous) == []


def test_a_web_server_without_workers_does_not_need_them(anonymous: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    silent_for_four_minutes()
    monkeypatch.setenv(probes.WORKERS, "0")
    assert missing(anonymous) == []


def test_all_that_is_missing_is_named(anonymous: ApiClient, monkeypatch: pytest.MonkeyPatch) -> None:
    no_heartbeat()
    monkeypatch.setenv(probes.WORKERS, "1")
    folder = django_settings.DATA_FOLDER
    with without(folder.secret_key):
        assert missing(anonymous) == ["secret_key", "workers"]


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
@pytest.mark.parametrize("host", ["10.0.0.7:8000", "elsewhere.example.org", "not a host", "", "[::"])
def test_the_host_does_not_matter(path: str, host: str, anonymous: ApiClient) -> None:
    assert anonymous.client.get("/login", HTTP_HOST=host).status_code == 400
    assert anonymous.client.get(path, HTTP_HOST=host).status_code == 200


@pytest.mark.parametrize("path", ["/healthz/", "/readyz/x", "/api/healthz", "//healthz"])
def test_other_paths_are_no_probes(path: str, anonymous: ApiClient) -> None:
    assert anonymous.client.get(path, HTTP_HOST="elsewhere.example.org").status_code == 400


def test_it_leaves_no_cookie(anonymous: ApiClient) -> None:
    assert not anonymous.get("/readyz").cookies
