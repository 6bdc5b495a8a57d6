"""The environment: each variable, and a wrong value as one line (docs/running.md#variables)."""

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
    *[
        ("ARCHIVE_PATH", value)
        for value in (
            "usage",
            "//usage",
            "/a//b",
            "/a/../b",
            "/.",
            "/us age",
            "/us%20age",
            "/ü",
            "/a?b",
            "/a#b",
            "/a;b",
            '/a"b',
            "https://example.org/usage",
            "/records",
            "/api/usage",
            "/static/",
            "/" + "a" * 100,
            "/a" * 9,
        )
    ],
    *[("ARCHIVE_TRUSTED_PROXIES", value) for value in ("-1", "one", "101")],
    *[("ARCHIVE_COLLECTIONS", value) for value in ("0", "101", "9" * 12)],
    *[("ARCHIVE_IMPORT_MEGABYTES", value) for value in ("0", "1000001")],
    ("ARCHIVE_UPSTREAM_TIME_ZONE", "Mars/Olympus"),
    ("TZ", "Mars/Olympus"),
    ("TZ", "../etc/passwd"),
    *[("ARCHIVE_AUDIT_DAYS", value) for value in ("0", "36501", "9" * 12)],
    *[("ARCHIVE_PASSWORD_STRICT", value) for value in ("-1", "2", "7", "129", "yes", "1.5")],
    *[("ARCHIVE_REAUTHENTICATE_MINUTES", value) for value in ("-1", "10081", "soon", "9" * 30)],
    *[("ARCHIVE_IDLE_MINUTES", value) for value in ("-1", "10081", "soon")],
    ("ARCHIVE_LOG", "stderr"),
    *[("ARCHIVE_LOG_MEGABYTES", value) for value in ("0", "much", "1000001")],
    *[("ARCHIVE_NODE", value) for value in ("web 1", "web/1", "ü", "x" * 65)],
    ("ARCHIVE_NOTIFY_PRIVATE", "perhaps"),
    *[
        ("ARCHIVE_NOTIFY_MAIL", value)
        for value in (
            "anna@example.org",
            "smtp://marker-7f3a@example.org",
            "mailto://",
            "mailtos://user:marker 7f3a@example.org",
            "mailtos://user:marker-7f3a@example.org?to=anna@example.org",
            "mailtos://example.org/anna@example.org",
        )
    ],
    ("ARCHIVE_SHARED", "~nobody-of-this-name/shared"),
    ("DATABASE_URL", "nonsense"),
    *[
        ("DATABASE_URL", value)
        for value in (
            "oracle9://user:marker-7f3a@host/name",
            "mysql://user:marker-7f3a@host/name",
            "postgis://user:marker-7f3a@host/name",
            "spatialite:////tmp/marker-7f3a",
            "postgres://",
            "postgres://user:marker-7f3a@host",
            "postgres://user:marker-7f3a@host/",
            "postgres://user:marker-7f3a@host:99999/name",
            "postgres://user:marker-7f3a@a..b/name",
            f"postgres://user:marker-7f3a@{'x' * 64}/name",
            "sqlite://",
            "sqlite:///",
        )
    ],
    *[
        ("REDIS_URL", value)
        for value in (
            "ftp://user:marker-7f3a@host",
            "redis://:marker-7f3a@a..b/0",
            "redis://:marker-7f3a@host:x/0",
            "redis://:marker-7f3a@host:70000/0",
            "redis://:marker-7f3a@host/abc",
            "redis://:marker-7f3a@host?db=x",
        )
    ],
    *[
        ("ARCHIVE_METRICS_TOKEN", f"marker{rest}")
        for rest in ("-short", "-with a blank-7f3a", "-\u00fc" * 10, "x" * 251)
    ],
    *[
        ("ARCHIVE_METRICS_ADDRESSES", value)
        for value in ("localhost", "1.2.3.4/99", "10.0.0.1/8", "10.0.0.0/33", "::1,,x", "*")
    ],
]


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(os.environ):
        if name.startswith(("ARCHIVE_", "DATABASE_URL", "REDIS_URL")) or name == "TZ":
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
@pytest.mark.thorough_after(1)
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
    assert (found.database, found.redis_url, found.trusted_origins, found.log_to_stdout) == (None, None, [], False)
    assert found.allowed_hosts == ["localhost", "127.0.0.1", "[::1]"]
    assert found.upstream_time_zone == ZoneInfo("Asia/Shanghai")


def test_the_systems_zone_counts_where_none_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ZoneInfo(read(monkeypatch).time_zone)


def test_what_is_set_to_nothing_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    names = ["ARCHIVE_HOME", "ARCHIVE_NAME", "ARCHIVE_ALLOWED_HOSTS", "ARCHIVE_LOG", "TZ", "DATABASE_URL", "REDIS_URL"]
    names += ["DATABASE_URL_FILE", "REDIS_URL_FILE", "ARCHIVE_METRICS_TOKEN", "ARCHIVE_METRICS_ADDRESSES"]
    empty = read(monkeypatch, **dict.fromkeys(names, ""))
    assert (empty.home.name, empty.name, len(empty.allowed_hosts)) == ("data", "usage-archive", 3)
    assert (empty.database, empty.redis_url) == (None, None)
    assert (empty.metrics_token, empty.metrics_addresses) == (None, [])


def test_the_folder_is_absolute_whatever_it_was_given_as(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert read(monkeypatch, ARCHIVE_HOME="here").home == tmp_path / "here"


def test_notices_go_to_public_hosts_unless_private_ones_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not read(monkeypatch).sources_private
    assert read(monkeypatch, ARCHIVE_SOURCES_PRIVATE="1").sources_private
    assert not read(monkeypatch).notify_private
    assert read(monkeypatch, ARCHIVE_NOTIFY_PRIVATE="1").notify_private


def test_the_metrics_are_open_to_addresses_and_networks(monkeypatch: pytest.MonkeyPatch) -> None:
    found = read(monkeypatch, ARCHIVE_METRICS_ADDRESSES="127.0.0.1, 10.0.0.0/8,2001:db8::/32").metrics_addresses
    assert list(map(str, found)) == ["127.0.0.1/32", "10.0.0.0/8", "2001:db8::/32"]


def test_the_token_of_the_metrics_is_read_from_its_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("metrics-7f3a-token\n")
    found = read(monkeypatch, ARCHIVE_METRICS_TOKEN_FILE=str(tmp_path / "token"))
    assert found == read(monkeypatch, ARCHIVE_METRICS_TOKEN_FILE="", ARCHIVE_METRICS_TOKEN="metrics-7f3a-token")


def test_what_shows_the_environment_hides_the_token_of_the_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "marker" not in repr(read(monkeypatch, ARCHIVE_METRICS_TOKEN="marker-7f3a-metrics"))


@pytest.mark.parametrize("value", ["1", "true", "on", "yes"])
def test_a_switch_accepts_the_words_for_yes(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
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


@pytest.mark.parametrize(
    "value",
    [
        "redis://host",
        "redis://:pass@[::1]:6379/2",
        "rediss://host/0",
        "redis://host?db=3",
        "unix:///run/redis.sock?db=1",
    ],
)
def test_these_addresses_of_redis_are_taken(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(monkeypatch, REDIS_URL=value).redis_url == value


@pytest.mark.parametrize(("query", "seconds"), [("", 5), ("?connect_timeout=60", 60)])
def test_a_database_that_is_silent_is_waited_for_for_seconds(
    query: str, seconds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = read(monkeypatch, DATABASE_URL=f"postgres://host/name{query}").database
    assert found
    assert found["OPTIONS"]["connect_timeout"] == seconds
    assert found["OPTIONS"]["tcp_user_timeout"] == 15_000


@pytest.mark.parametrize("value", ["postgres://?service=archive", "postgresql://host/name", "sqlite:////srv/a.sqlite3"])
def test_these_addresses_of_a_database_are_taken(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(monkeypatch, DATABASE_URL=value).database


@pytest.mark.parametrize("value", ["file", "stdout"])
def test_the_log_goes_to_a_file_or_to_standard_output(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(monkeypatch, ARCHIVE_LOG=value).log_to_stdout == (value == "stdout")


# Secrets in files

SECRETS = {
    "DATABASE_URL": "postgres://user:marker-7f3a@host/name",
    "REDIS_URL": "redis://:marker-7f3a@host:6379/0",
}


@pytest.fixture(params=SECRETS)
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "secret"


def test_a_secret_is_read_from_its_file(monkeypatch: pytest.MonkeyPatch, name: str, file: Path) -> None:
    file.write_text(f"{SECRETS[name]}\n")
    with monkeypatch.context() as patch:
        from_file = read(patch, **{f"{name}_FILE": str(file)})
    assert from_file == read(monkeypatch, **{name: SECRETS[name]})
    assert from_file.database or from_file.redis_url


def test_a_file_without_end_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    assert refusal(monkeypatch, name, Path("/dev/zero")).endswith("the file holds more than 10000 characters")


def test_a_wrong_network_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigurationError, match="1.2.3.4/99 is not an address or a network"):
        read(monkeypatch, ARCHIVE_METRICS_ADDRESSES="10.0.0.0/8, 1.2.3.4/99")


def refusal(monkeypatch: pytest.MonkeyPatch, name: str, file: Path, **others: str) -> str:
    with pytest.raises(ConfigurationError, match=rf"\A[^\n]*\b{name}_FILE\b[^\n]*\Z") as raised:
        read(monkeypatch, **{f"{name}_FILE": str(file)}, **others)
    assert "marker" not in str(raised.value)
    return str(raised.value)


def test_a_file_that_is_missing_is_refused(monkeypatch: pytest.MonkeyPatch, name: str, file: Path) -> None:
    assert "No such file" in refusal(monkeypatch, name, file)


def test_a_folder_is_no_file(monkeypatch: pytest.MonkeyPatch, name: str, tmp_path: Path) -> None:
    assert "cannot be read" in refusal(monkeypatch, name, tmp_path)


@pytest.mark.parametrize("content", [b"", b" \n"])
def test_an_empty_file_is_refused(content: bytes, monkeypatch: pytest.MonkeyPatch, name: str, file: Path) -> None:
    file.write_bytes(content)
    assert "is empty" in refusal(monkeypatch, name, file)


def test_a_file_that_is_no_text_is_refused(monkeypatch: pytest.MonkeyPatch, name: str, file: Path) -> None:
    file.write_bytes(b"marker-7f3a \xff")
    assert "no text" in refusal(monkeypatch, name, file)


def test_a_file_with_something_else_is_refused(monkeypatch: pytest.MonkeyPatch, name: str, file: Path) -> None:
    file.write_text("ftp9://user:marker-7f3a@host")
    assert "cannot be read" in refusal(monkeypatch, name, file)


def test_a_variable_beside_its_file_is_refused(monkeypatch: pytest.MonkeyPatch, name: str, file: Path) -> None:
    file.write_text(SECRETS[name])
    assert "both set" in refusal(monkeypatch, name, file, **{name: SECRETS[name]})


def test_a_refused_file_stops_every_command_with_that_line(file: Path, tmp_path: Path) -> None:
    file.write_text("marker-7f3a")
    done = manage("check", home=tmp_path / "home", DATABASE_URL_FILE=str(file))
    assert is_one_line(done, "DATABASE_URL_FILE")
    assert "marker" not in done.stderr


@pytest.mark.parametrize(
    ("given", "found"),
    [("", ""), ("/", ""), ("/usage", "/usage"), ("/usage/", "/usage"), ("/a/b-c_d.e~f", "/a/b-c_d.e~f")],
)
def test_a_path_has_no_slash_at_its_end(given: str, found: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert read(monkeypatch, ARCHIVE_PATH=given).path == found
