"""What `up` loads before it forks its processes: docs/decisions/instance.md#small-machines."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.archive_site.commands import ROOT
from tests.process_stores import environment

LOAD = """
import django, sys
django.setup()
from archive_site.management.commands import up
from archive_site.serving import web_server, workers
web_server.load()
workers.load()
"""
SHOW = "print(*sorted({name.partition('.')[0] for name in sys.modules}))"


def loaded(home: Path, *lines: str, **variables: str) -> set[str]:
    """The packages in a process after these lines."""
    script = "\n".join([LOAD, *lines, SHOW])
    variables = {"DJANGO_SETTINGS_MODULE": "archive_site.settings", "DATABASE_URL": "", "REDIS_URL": "", **variables}
    ended = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT, env=environment(home, **variables), capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    return set(ended.stdout.split())


@pytest.fixture(scope="module")
def idle(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    return loaded(tmp_path_factory.mktemp("idle") / "home")


@pytest.mark.parametrize(
    "name",
    [
        "PIL",
        "redis",
        "psycopg",
        "duckdb",
        "requests",
        "urllib3",
        "apprise",
        "prometheus_client",
        "fido2",
        "segno",
        "jwt",
    ],
)
def test_an_idle_instance_has_not_loaded(name: str, idle: set[str]) -> None:
    assert name not in idle


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["backups", "collection", "django_q", "usage", "waitress", "whitenoise"])
def test_its_processes_share(name: str, idle: set[str]) -> None:
    assert name in idle


@pytest.mark.thorough
def test_redis_can_be_loaded_though_the_handler_of_the_log_does_without(tmp_path: Path) -> None:
    assert "redis" in loaded(tmp_path / "home", "import redis")


@pytest.mark.thorough
def test_the_counters_load_redis_where_it_is_set(tmp_path: Path) -> None:
    use = "from django.core.cache import caches; caches['counters']._cache"
    assert "redis" in loaded(tmp_path / "home", use, REDIS_URL="redis://127.0.0.1:1/0")


@pytest.mark.thorough
def test_the_metrics_load_their_library_before_the_processes_are_forked(tmp_path: Path) -> None:
    assert "prometheus_client" in loaded(tmp_path / "home", ARCHIVE_METRICS_TOKEN="metrics-7f3a-token")


@pytest.mark.thorough
def test_the_first_captcha_loads_pillow(tmp_path: Path) -> None:
    assert "PIL" in loaded(tmp_path / "home", "from accounts.signin import captcha; captcha.draw('ABC')")


@pytest.mark.thorough
def test_who_sends_a_notice_loads_neither_library_nor_client(tmp_path: Path) -> None:
    found = loaded(tmp_path / "home", "from accounts.delivery.sending import addresses, send")
    assert found.isdisjoint({"apprise", "requests", "urllib3", "smtplib"})
