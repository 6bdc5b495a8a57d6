"""The environment: each variable, and a wrong value as one line (README, "Configuration")."""

import os
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from archive_site.lib.environment import ConfigurationError, Environment, read_environment
from tests.archive_site.commands import is_one_line, manage

WRONG = [
    ("ARCHIVE_HOME", "~nobody-of-this-name/data"),
    ("ARCHIVE_DEBUG", "perhaps"),
    ("ARCHIVE_ALLOWED_HOSTS", "https://usage.example.org"),
    ("ARCHIVE_ALLOWED_HOSTS", "usage.example.org:8000"),
    ("ARCHIVE_TRUSTED_ORIGINS", "usage.example.org"),
    ("ARCHIVE_TRUSTED_ORIGINS", "https://usage.example.org/path"),
    ("ARCHIVE_TRUSTED_ORIGINS", "http://["),
    ("ARCHIVE_HTTPS", "2"),
    ("ARCHIVE_TRUSTED_PROXIES", "-1"),
    ("ARCHIVE_TRUSTED_PROXIES", "one"),
    ("ARCHIVE_UPSTREAM_TIME_ZONE", "Mars/Olympus"),
    ("TZ", "Mars/Olympus"),
    ("TZ", "../etc/passwd"),
    ("ARCHIVE_AUDIT_DAYS", "0"),
    *[("ARCHIVE_PASSWORD_STRICT", value) for value in ("-1", "2", "7", "129", "yes", "1.5")],
    *[("ARCHIVE_REAUTHENTICATE_MINUTES", value) for value in ("-1", "10081", "soon", "9" * 30)],
    *[("ARCHIVE_IDLE_MINUTES", value) for value in ("-1", "10081", "soon")],
    ("ARCHIVE_LOG_MEGABYTES", "0"),
    ("ARCHIVE_LOG_MEGABYTES", "much"),
    ("DATABASE_URL", "nonsense"),
    ("DATABASE_URL", "oracle9://user:marker-7f3a@host/name"),
    ("REDIS_URL", "ftp://user:marker-7f3a@host"),
]


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith("ARCHIVE_") or name in ("DATABASE_URL", "REDIS_URL", "TZ"):
            monkeypatch.delenv(name)


def read(monkeypatch: pytest.MonkeyPatch, **variables: str) -> Environment:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    return read_environment.__wrapped__()


@pytest.mark.parametrize(("name", "value"), WRONG)
def test_a_wrong_value_is_one_line_that_names_the_variable(
    name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ConfigurationError, match=rf"\A[^\n]*\b{name}\b[^\n]*\Z") as raised:
        read(monkeypatch, **{name: value})
    assert "marker" not in str(raised.value)


# The settings stop whatever command reads them.
@pytest.mark.parametrize(
    ("command", "name", "value"),
    [("check", "ARCHIVE_DEBUG", "perhaps"), ("up", "TZ", "Mars"), ("list_users", "DATABASE_URL", "x")],
)
def test_a_wrong_value_stops_every_command_with_that_line(command: str, name: str, value: str, tmp_path: Path) -> None:
    assert is_one_line(manage(command, home=tmp_path / "home", **{name: value}), name)


def test_a_wrong_value_leaves_no_data_folder_behind(tmp_path: Path) -> None:
    manage("check", home=tmp_path / "home", ARCHIVE_HTTPS="perhaps")
    assert not (tmp_path / "home").exists()


def test_nothing_needs_to_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    found = read(monkeypatch)
    assert (found.home, found.debug, found.https, found.trusted_proxies) == (Path.cwd() / "data", False, False, 0)
    assert (found.name, found.log_megabytes, found.audit_days) == ("usage-archive", 50, None)
    assert (found.database, found.redis_url, found.trusted_origins) == (None, None, [])
    assert found.allowed_hosts == ["localhost", "127.0.0.1", "[::1]"]
    assert found.upstream_time_zone == ZoneInfo("Asia/Shanghai")


def test_the_systems_zone_counts_where_none_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ZoneInfo(read(monkeypatch).time_zone)


def test_what_is_set_to_nothing_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["ARCHIVE_HOME", "ARCHIVE_NAME", "ARCHIVE_ALLOWED_HOSTS", "TZ", "DATABASE_URL", "REDIS_URL"]
    empty = read(monkeypatch, **dict.fromkeys(names, ""))
    assert (empty.home.name, empty.name, len(empty.allowed_hosts)) == ("data", "usage-archive", 3)
    assert (empty.database, empty.redis_url) == (None, None)


def test_the_folder_is_absolute_whatever_it_was_given_as(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert read(monkeypatch, ARCHIVE_HOME="here").home == tmp_path / "here"


@pytest.mark.parametrize("value", ["1", "true", "on", "yes"])
def test_a_switch_knows_the_words_for_yes(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = read(monkeypatch, ARCHIVE_DEBUG=value, ARCHIVE_HTTPS=value)
    assert (found.debug, found.https) == (True, True)


def test_lists_are_separated_by_commas_and_may_hold_blanks(monkeypatch: pytest.MonkeyPatch) -> None:
    found = read(
        monkeypatch,
        ARCHIVE_ALLOWED_HOSTS="usage.example.org, .example.net,[::1]",
        ARCHIVE_TRUSTED_ORIGINS="https://usage.example.org, http://localhost:8080",
    )
    assert found.allowed_hosts == ["usage.example.org", ".example.net", "[::1]"]
    assert found.trusted_origins == ["https://usage.example.org", "http://localhost:8080"]


def test_zones_numbers_and_names_are_taken_as_given(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = {"ARCHIVE_TRUSTED_PROXIES": "2", "ARCHIVE_LOG_MEGABYTES": "5", "ARCHIVE_AUDIT_DAYS": "30"}
    found = read(monkeypatch, TZ="Asia/Tokyo", ARCHIVE_UPSTREAM_TIME_ZONE="UTC", ARCHIVE_NAME="mine", **numbers)
    assert (found.time_zone, found.upstream_time_zone.key, found.name) == ("Asia/Tokyo", "UTC", "mine")
    assert (found.trusted_proxies, found.log_megabytes, found.audit_days) == (2, 5, 30)


def test_protections_beyond_the_usual_are_off(monkeypatch: pytest.MonkeyPatch) -> None:
    found = read(monkeypatch)
    assert (found.password_strict, found.reauthenticate_minutes, found.idle_minutes) == (0, 0, 0)


@pytest.mark.parametrize("value", ["0", "1", "8", "128"])
def test_the_strictness_of_passwords_is_a_switch_or_a_length(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(monkeypatch, ARCHIVE_PASSWORD_STRICT=value).password_strict == int(value)


def test_the_minutes_of_sessions_are_taken_as_given(monkeypatch: pytest.MonkeyPatch) -> None:
    found = read(monkeypatch, ARCHIVE_REAUTHENTICATE_MINUTES="15", ARCHIVE_IDLE_MINUTES="10080")
    assert (found.reauthenticate_minutes, found.idle_minutes) == (15, 10080)


def test_the_addresses_of_servers_are_taken_as_given(monkeypatch: pytest.MonkeyPatch) -> None:
    found = read(monkeypatch, DATABASE_URL="postgres://user:pass@host:5433/name", REDIS_URL="redis://host:6379/0")
    assert found.database is not None
    assert (found.database["HOST"], found.database["PORT"], found.redis_url) == ("host", 5433, "redis://host:6379/0")
