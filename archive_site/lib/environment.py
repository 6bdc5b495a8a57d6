"""The environment variables; a wrong value stops the start with one line: docs/decisions/instance.md#environment."""

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qs, urlsplit
from zoneinfo import ZoneInfo

import dj_database_url
import tzlocal
from environs import Env, EnvValidationError, ValidationError

_HOST = re.compile(r"\*|\.?[\w-]+(\.[\w-]+)*|\[[0-9a-fA-F:.]+\]")
_NODE = re.compile(r"[A-Za-z0-9._-]{1,64}")
_OWN_HOSTS = ["localhost", "127.0.0.1", "[::1]"]
# Bounds of the length of a password.
PASSWORD_LEAST, PASSWORD_MOST = 8, 128
# A session lives seven days, so longer times have no effect.
_MINUTES_MOST = 7 * 24 * 60
# A century of days, and a terabyte: more is a typing error.
_DAYS_MOST, _MEGABYTES_MOST = 36_500, 1_000_000
# The longest secret in a file, in characters.
_SECRET_MOST = 10_000
_POSTGRES = "django.db.backends.postgresql"
_ENGINES = (_POSTGRES, "django.db.backends.sqlite3")
# For a process that only migrates files.
IN_MEMORY = "sqlite://:memory:"
_CONNECT_SECONDS = 5
# A machine that is gone is noticed in seconds, where TCP waits for a quarter of an hour.
_GONE = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 15_000}
# What `Authorization: Bearer` can carry, and long enough that nobody guesses it.
_METRICS_TOKEN = re.compile(r"[!-~]{16,256}")
_MAIL = re.compile(r"mailtos?://[!-~]+")
_PATH = re.compile(r"(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*){0,8}")
# A path that begins like this could be one within the service.
OWN_PATHS = frozenset({
    "admin", "api", "app.webmanifest", "archives", "audit", "backups", "captcha.png", "common-passwords.txt", "config",
    "exports", "first-run", "healthz", "import", "invitation", "login", "logout", "logs", "metrics", "notices",
    "offline", "openid", "packages", "profile", "readyz", "reauthenticate", "records", "register", "repeated", "runs",
    "second-factor", "service-worker.js", "statements", "static", "summaries", "users",
})  # fmt: skip
_PATH_MOST = 100
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class ConfigurationError(Exception):
    """The configuration prevents the start; the text is one line for the administrator."""


@dataclass(frozen=True)
class OpenId:
    """One provider at which people sign in (docs/running.md#variables).

    `creates`: the first sign-in there creates an account. Who has `admin_value` under `admin_claim` is an
    administrator.
    `only`: nobody but this administrator signs in with a password; empty where all may.
    """

    issuer: str
    client_id: str
    client_secret: str = field(repr=False)
    name: str
    scopes: str
    creates: bool
    admin_claim: str
    admin_value: str
    only: str


@dataclass(frozen=True)
class Environment:
    """The checked values of the environment variables (docs/running.md#variables)."""

    home: Path
    debug: bool
    allowed_hosts: list[str]
    trusted_origins: list[str]
    https: bool
    path: str
    trusted_proxies: int
    name: str
    upstream_time_zone: ZoneInfo
    time_zone: str
    audit_days: int | None
    password_strict: int
    reauthenticate_minutes: int
    idle_minutes: int
    origin: str
    openid: OpenId | None
    log_to_stdout: bool
    log_megabytes: int
    import_megabytes: int
    collections: int
    database: dict[str, Any] | None
    redis_url: str | None
    shared: Path | None
    node: str | None
    sources_private: bool
    notify_private: bool
    notify_mail: str | None = field(repr=False)
    metrics_token: str | None = field(repr=False)
    metrics_addresses: list[Network]


def _zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):
        raise ValidationError(f"'{name}' is not a known time zone (as in Europe/Berlin)") from None


def _between(least: int, most: int) -> Callable[[int | None], None]:
    def check(value: int | None) -> None:
        if value is not None and not least <= value <= most:
            raise ValidationError(f"must be from {least} to {most}")

    return check


def _strictness(value: int) -> None:
    if value not in (0, 1) and not PASSWORD_LEAST <= value <= PASSWORD_MOST:
        raise ValidationError(f"must be 0, 1, or a least length from {PASSWORD_LEAST} to {PASSWORD_MOST}")


def is_allowable_host(host: str) -> bool:
    """Whether ARCHIVE_ALLOWED_HOSTS may have this host (docs/deploy.md#what-the-log-says-of-refusals)."""
    return _HOST.fullmatch(host) is not None


def _hosts(value: list[str]) -> None:
    for host in value:
        if not is_allowable_host(host):
            raise ValidationError(f"{host} is not a host name (as in usage.example.org, without scheme or port)")


def _origins(value: list[str]) -> None:
    for origin in value:
        parts = _split(origin)
        if not parts or parts.scheme not in ("http", "https") or not parts.netloc or parts.path:
            raise ValidationError(f"{origin} is not an origin (as in https://usage.example.org)")


def _own_origin(value: str) -> None:
    """Browsers have passkeys for https, and for http on the machine itself."""
    parts = _split(value)
    usable = parts and (parts.scheme == "https" or (parts.scheme, parts.hostname) == ("http", "localhost"))
    # As a browser sends it: nothing but scheme, host and port, in small letters.
    if value and not (parts and usable and parts.hostname and value == f"{parts.scheme}://{parts.netloc}".lower()):
        raise ValidationError(f"{value} is not an origin of https (as in https://usage.example.org)")


def _path(value: str) -> None:
    path = value.rstrip("/")
    if not _PATH.fullmatch(path) or len(path) > _PATH_MOST:
        raise ValidationError("must be a path of letters, digits and -._~ that begins with / (as in /usage)")
    if path.split("/")[1:2] and path.split("/")[1] in OWN_PATHS:
        raise ValidationError(f"{path} begins as a path of the service itself does; choose another (as in /usage)")


def _log(value: str) -> None:
    if value not in ("", "file", "stdout"):
        raise ValidationError("must be file or stdout")


def _split(url: str) -> SplitResult | None:
    try:
        return urlsplit(url)
    except ValueError:
        return None


def _require_host_names(hosts: str) -> None:
    """Raises ValueError for a name that no machine can have; PostgreSQL takes several, and folders of sockets."""
    for host in hosts.split(","):
        if not host.startswith("/"):
            host.encode("idna")


def _node(value: str) -> None:
    if value and not _NODE.fullmatch(value):
        raise ValidationError("must be at most 64 letters, digits, dots, hyphens and underscores")


def _folder(env: Env, name: str, default: str) -> Path | None:
    path = env.str(name, "") or default
    try:
        return Path(path).expanduser().absolute() if path else None
    except RuntimeError:
        raise ConfigurationError(f"{name}: the home folder of this user does not exist") from None


def _server_zone(env: Env) -> str:
    name = env.str("TZ", "").removeprefix(":").strip()
    if not name:
        try:
            name = tzlocal.get_localzone_name()
        except (LookupError, ValueError, OSError) as error:
            raise ConfigurationError(
                f"The system's time zone has no name; set TZ (as in Europe/Berlin): {error}"
            ) from None
    try:
        return _zone(name).key
    except ValidationError:
        raise ConfigurationError(f"TZ: '{name}' is not a known time zone (as in Europe/Berlin)") from None


def _database(env: Env) -> dict[str, Any] | None:
    name, url = _secret(env, "DATABASE_URL")
    if not url:
        return None
    # The messages leave the address out, since it may hold a password.
    example = "as in postgres://user:password@host/name"
    try:
        found: dict[str, Any] = dict(dj_database_url.parse(url))
        _require_host_names(found.get("HOST") or "")
    except (ValueError, KeyError):
        raise ConfigurationError(f"{name} cannot be read ({example})") from None
    if found["ENGINE"] not in _ENGINES:
        raise ConfigurationError(f"{name} names another database than PostgreSQL and SQLite ({example})")
    is_named = found["NAME"] or "service" in found.get("OPTIONS", {})
    if not is_named or (found["NAME"] == ":memory:" and url != IN_MEMORY):
        raise ConfigurationError(f"{name} does not name the database ({example})")
    if found["ENGINE"] == _POSTGRES:
        # A host that is silent would be waited for for minutes.
        found["OPTIONS"] = {"connect_timeout": _CONNECT_SECONDS, **_GONE, **found.get("OPTIONS", {})}
    return found


def _redis_url(env: Env) -> str | None:
    name, url = _secret(env, "REDIS_URL")
    if not url:
        return None
    # Its client is loaded only where it is used.
    from redis.connection import parse_url

    try:
        found: dict[str, Any] = dict(parse_url(url))  # type: ignore[no-untyped-call]
        _require_host_names(found.get("host") or "")
        # The client takes a path that is no number for none.
        if not found.keys() & {"path", "db"} and urlsplit(url).path.strip("/"):
            raise ValueError
    except ValueError:
        # The message leaves the address out, since it may hold a password.
        raise ConfigurationError(f"{name} cannot be read (as in redis://host:6379/0)") from None
    return url


def _metrics_token(env: Env) -> str | None:
    name, token = _secret(env, "ARCHIVE_METRICS_TOKEN")
    if token and not _METRICS_TOKEN.fullmatch(token):
        raise ConfigurationError(f"{name} must be 16 to 256 letters, digits and signs without blanks")
    return token or None


def _mail(env: Env) -> str | None:
    name, address = _secret(env, "ARCHIVE_NOTIFY_MAIL")
    parts = _split(address)
    is_server = parts and parts.hostname and not parts.path.strip("/") and "to" not in parse_qs(parts.query)
    # Accounts name the receivers.
    if address and not (is_server and _MAIL.fullmatch(address)):
        # The message leaves the address out, since it may hold a password.
        raise ConfigurationError(
            f"{name} cannot be read (as in mailtos://user:password@mail.example.org?from=archive@example.org)"
        )
    return address or None


def _openid(env: Env) -> OpenId | None:
    issuer = env.str("ARCHIVE_OIDC_ISSUER", "").strip()
    if not issuer:
        return None
    parts = _split(issuer)
    is_local = parts is not None and parts.scheme == "http" and parts.hostname in ("localhost", "127.0.0.1")
    if not parts or not (parts.scheme == "https" or is_local) or not parts.hostname or parts.query or parts.fragment:
        raise ConfigurationError("ARCHIVE_OIDC_ISSUER: must be an address of https (as in https://id.example.org)")
    if not env.str("ARCHIVE_ORIGIN", ""):
        raise ConfigurationError("ARCHIVE_OIDC_ISSUER: needs ARCHIVE_ORIGIN, to which people come back")
    client_id = env.str("ARCHIVE_OIDC_CLIENT_ID", "")
    name, client_secret = _secret(env, "ARCHIVE_OIDC_CLIENT_SECRET")
    if not client_id or not client_secret:
        missing = name if client_id else "ARCHIVE_OIDC_CLIENT_ID"
        raise ConfigurationError(f"{missing}: must be set beside ARCHIVE_OIDC_ISSUER")
    claim, is_pair, value = env.str("ARCHIVE_OIDC_ADMINS", "").partition("=")
    if claim and not (is_pair and value):
        raise ConfigurationError("ARCHIVE_OIDC_ADMINS: must be a claim and its value (as in groups=archive-admins)")
    return OpenId(
        issuer=issuer,
        client_id=client_id,
        client_secret=client_secret,
        name=env.str("ARCHIVE_OIDC_NAME", "") or (parts.hostname or ""),
        scopes=env.str("ARCHIVE_OIDC_SCOPES", "openid profile"),
        creates=env.bool("ARCHIVE_OIDC_CREATE", False),
        admin_claim=claim,
        admin_value=value,
        only=env.str("ARCHIVE_OIDC_ONLY", "").strip(),
    )


def _networks(env: Env) -> list[Network]:
    name = "ARCHIVE_METRICS_ADDRESSES"
    return [_network(name, text) for text in env.list(name, [], subcast=str.strip)]


def _network(name: str, text: str) -> Network:
    try:
        return ipaddress.ip_network(text)
    except ValueError:
        raise ConfigurationError(f"{name}: {text} is not an address or a network (as in 10.0.0.0/8)") from None


def _secret(env: Env, name: str) -> tuple[str, str]:
    """A secret from its variable, or from the file that the variable with `_FILE` names; first the name of the one."""
    value, file_name = env.str(name, ""), f"{name}_FILE"
    path = env.str(file_name, "")
    if not path:
        return name, value
    if value:
        raise ConfigurationError(f"{name} and {file_name} are both set: unset one")
    try:
        with Path(path).open(encoding="utf-8") as file:
            value = file.read(_SECRET_MOST + 1).strip()
    except OSError as error:
        raise ConfigurationError(f"{file_name}: the file cannot be read: {error.strerror}") from None
    except ValueError:
        raise ConfigurationError(f"{file_name}: the file holds no text") from None
    if not value:
        raise ConfigurationError(f"{file_name}: the file is empty")
    if len(value) > _SECRET_MOST:
        raise ConfigurationError(f"{file_name}: the file holds more than {_SECRET_MOST} characters")
    return file_name, value


@cache
def read_environment() -> Environment:
    """All environment variables. Raises ConfigurationError that names the wrong variable."""
    env = Env(expand_vars=False)
    try:
        return Environment(
            home=_folder(env, "ARCHIVE_HOME", "data") or Path(),
            debug=env.bool("ARCHIVE_DEBUG", False),
            allowed_hosts=env.list("ARCHIVE_ALLOWED_HOSTS", [], subcast=str.strip, validate=_hosts) or _OWN_HOSTS,
            trusted_origins=env.list("ARCHIVE_TRUSTED_ORIGINS", [], subcast=str.strip, validate=_origins),
            https=env.bool("ARCHIVE_HTTPS", False),
            path=env.str("ARCHIVE_PATH", "", validate=_path).rstrip("/"),
            trusted_proxies=env.int("ARCHIVE_TRUSTED_PROXIES", 0, validate=_between(0, 100)),
            name=env.str("ARCHIVE_NAME", "") or "usage-archive",
            upstream_time_zone=_zone(env.str("ARCHIVE_UPSTREAM_TIME_ZONE", "Asia/Shanghai", validate=_zone)),
            time_zone=_server_zone(env),
            audit_days=env.int("ARCHIVE_AUDIT_DAYS", None, validate=_between(1, _DAYS_MOST)),
            password_strict=env.int("ARCHIVE_PASSWORD_STRICT", 0, validate=_strictness),
            reauthenticate_minutes=env.int("ARCHIVE_REAUTHENTICATE_MINUTES", 0, validate=_between(0, _MINUTES_MOST)),
            origin=env.str("ARCHIVE_ORIGIN", "", validate=_own_origin),
            openid=_openid(env),
            idle_minutes=env.int("ARCHIVE_IDLE_MINUTES", 0, validate=_between(0, _MINUTES_MOST)),
            log_to_stdout=env.str("ARCHIVE_LOG", "file", validate=_log) == "stdout",
            log_megabytes=env.int("ARCHIVE_LOG_MEGABYTES", 50, validate=_between(1, _MEGABYTES_MOST)),
            import_megabytes=env.int("ARCHIVE_IMPORT_MEGABYTES", 64, validate=_between(1, _MEGABYTES_MOST)),
            collections=env.int("ARCHIVE_COLLECTIONS", 1, validate=_between(1, 100)),
            database=_database(env),
            redis_url=_redis_url(env),
            shared=_folder(env, "ARCHIVE_SHARED", ""),
            node=env.str("ARCHIVE_NODE", "", validate=_node) or None,
            sources_private=env.bool("ARCHIVE_SOURCES_PRIVATE", False),
            notify_private=env.bool("ARCHIVE_NOTIFY_PRIVATE", False),
            notify_mail=_mail(env),
            metrics_token=_metrics_token(env),
            metrics_addresses=_networks(env),
        )
    except EnvValidationError as error:
        subject = str(error).partition(" invalid: ")[0]
        raise ConfigurationError(f"{subject}: {' '.join(map(str, error.error_messages))}") from None
