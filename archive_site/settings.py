"""Django's settings. Values that differ between machines come from `archive_site.lib.environment`."""

import logging
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from csp.constants import NONCE, NONE, SELF

from archive_site import __version__, keys_at_start
from archive_site.lib.environment import ConfigurationError, read_environment
from archive_site.lib.resources import RESOURCES
from archive_site.lib.storage import lock_wait
from archive_site.lib.storage.data_folder import prepare, read_instance_key, read_secret_key
from archive_site.lib.storage.node_name import node_name

try:
    ENVIRONMENT = read_environment()
    DATA_FOLDER = prepare(ENVIRONMENT.home, shared=ENVIRONMENT.shared)
    # The one command that runs without the keys.
    keys_at_start.provide(DATA_FOLDER, ENVIRONMENT.database, replacing="replace_key" in sys.argv[1:3])
    SECRET_KEY = read_secret_key(DATA_FOLDER)
    read_instance_key(DATA_FOLDER)
    NODE = node_name(DATA_FOLDER.node_id, ENVIRONMENT.node)
except ConfigurationError as error:
    sys.exit(str(error))

DEBUG = ENVIRONMENT.debug
ALLOWED_HOSTS = ENVIRONMENT.allowed_hosts
# The path of the service on its host, without a slash at its end; empty at the root.
SERVICE_PATH = ENVIRONMENT.path
FORCE_SCRIPT_NAME = SERVICE_PATH or None
ARCHIVE_NAME = ENVIRONMENT.name
VERSION = __version__
UPSTREAM_ZONE = ENVIRONMENT.upstream_time_zone
TRUSTED_PROXIES = ENVIRONMENT.trusted_proxies
AUDIT_DAYS = ENVIRONMENT.audit_days
PASSWORD_STRICT = ENVIRONMENT.password_strict
REAUTHENTICATE_MINUTES = ENVIRONMENT.reauthenticate_minutes
IDLE_MINUTES = ENVIRONMENT.idle_minutes
# The address in the browser, for passkeys; empty where there are none.
ORIGIN = ENVIRONMENT.origin
# Where people sign in elsewhere; None where they do not.
OPENID = ENVIRONMENT.openid
REDIS_URL = ENVIRONMENT.redis_url
# Who may read `/metrics`, which is off without both: docs/metrics.md.
METRICS_TOKEN = ENVIRONMENT.metrics_token
METRICS_ADDRESSES = ENVIRONMENT.metrics_addresses

INSTALLED_APPS = [
    "archive_site",
    "audit",
    "accounts",
    "usage",
    "collection",
    "backups",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_q",
]

MIDDLEWARE = [
    "audit.known_secrets.forget_after_request",
    "archive_site.metrics.middleware.measure_requests",
    "archive_site.lib.http.static_answers.StaticAnswers",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "django_permissions_policy.PermissionsPolicyMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "archive_site.lib.http.middleware.body_limit",
    # Before CommonMiddleware, which checks the Host header.
    "archive_site.probes.answer_probes",
    "archive_site.metrics.middleware.answer_metrics",
    "archive_site.lib.http.middleware.share_lock_waits",
    "archive_site.lib.http.middleware.no_writes_in_a_restore",
    "accounts.tokens.token_requests.read_bearer",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "archive_site.lib.http.csrf.CsrfCheck",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "accounts.tokens.token_requests.sign_in_by_token",
    "archive_site.lib.http.account_turns.take_turns",
    "accounts.signin.idle_sessions.end_idle_sessions",
    "accounts.language_and_theme.speak_own_language",
    "accounts.signin.factor_required.lead_to_setup",
    "archive_site.lib.http.middleware.PageWriteRate",
    "django.contrib.messages.middleware.MessageMiddleware",
    # The innermost: only the view is limited.
    "archive_site.lib.http.slow_reads.TimedReads",
]

ROOT_URLCONF = "archive_site.urls"
WSGI_APPLICATION = "archive_site.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [RESOURCES / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
                "archive_site.lib.http.service_path.shown",
                "accounts.signin.reauthentication_page.password_dialog",
                "collection.pages.notices",
                "collection.archive_choice.shown",
            ],
        },
    }
]

# The store: immediate transactions, a write-ahead log and a long timeout. With Django's defaults parallel writers fail
# at once with "database is locked": docs/decisions/store.md#sqlite-with-immediate-transactions-and-wal.
SQLITE_PRAGMAS = "; ".join(
    f"PRAGMA {pragma}"
    for pragma in (
        "journal_mode=WAL",
        "synchronous=NORMAL",
        "wal_autocheckpoint=64000",
        "cache_size=-2048",
        "temp_store=MEMORY",
    )
)
SQLITE: dict[str, Any] = {
    # Django's SQLite backend, which also reconnects after a restore has replaced the file.
    "ENGINE": "archive_site.lib.storage.sqlite_backend",
    "OPTIONS": {"transaction_mode": "IMMEDIATE", "timeout": lock_wait.OF_TASKS, "init_command": SQLITE_PRAGMAS},
}
DATABASES = {
    "default": ENVIRONMENT.database
    or {**SQLITE, "NAME": str(DATA_FOLDER.store), "TEST": {"NAME": DATA_FOLDER.home / "test.sqlite3"}}
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # A SQLite file named by DATABASE_URL needs the same options.
    DATABASES["default"] |= SQLITE
elif DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql":
    DATABASES["default"]["ENGINE"] = "archive_site.lib.storage.postgres_backend"
    # A connection that ended meanwhile is opened again before a request or a task uses it, instead of failing it.
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DATABASES["default"]["CONN_MAX_AGE"] = 600
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

_REDIS: dict[str, Any] = {
    "BACKEND": "django.core.cache.backends.redis.RedisCache",
    "LOCATION": REDIS_URL,
    # Without them a request waits for minutes for a machine that is gone.
    "OPTIONS": {"socket_connect_timeout": 3, "socket_timeout": 3},
}
CACHES = {
    # What all nodes know: sessions.
    "default": {**_REDIS, "KEY_PREFIX": "cache"}
    if REDIS_URL
    else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    # What cannot be stored while the disk is full, so that people can sign in: sessions and captchas.
    "spare": {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "spare",
        "OPTIONS": {"MAX_ENTRIES": 10_000},
    },
    # Counters of the limits, exact across processes.
    "counters": {**_REDIS, "BACKEND": "archive_site.lib.storage.redis_counters.RedisCounters"}
    if REDIS_URL
    else {"BACKEND": "archive_site.lib.storage.counter_cache.CounterCache", "LOCATION": DATA_FOLDER.counters},
    # The queue's statistics would otherwise write to the database every second.
    "queue": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "queue"},
}

RATELIMIT_USE_CACHE = "counters"

# The longest that a run may take; the queue kills a task that takes longer.
LONGEST_TASK = timedelta(hours=6)
# Seconds until the queue delivers a task again: ten years, since a shorter time would repeat tasks that still run.
DELIVERED_FOR = 10 * 365 * 86400
Q_CLUSTER = {
    "name": "archive",
    "orm": "default",
    # Two more than collections, so that other tasks need not wait for them.
    "workers": 2 + ENVIRONMENT.collections,
    # With a longer queue, tasks are prefetched, and prefetched tasks are delivered twice.
    "queue_limit": 1,
    "bulk": 1,
    "poll": 1,
    "guard_cycle": 1,
    "timeout": int(LONGEST_TASK.total_seconds()),
    "retry": DELIVERED_FOR,
    "ack_failures": True,
    "max_attempts": 1,
    "catch_up": False,
    "save_limit": 100,
    # Of each function: results of hundreds of collections must not push out those of ticks, which `up` looks at.
    "save_limit_per": "func",
    "cache": "queue",
    "log_level": "INFO",
}

# Accounts, sessions, CSRF: docs/decisions/accounts.md.
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = [
    "django.contrib.auth.backends.ModelBackend",
    *(["accounts.openid.backend.ProviderBackend"] if OPENID else []),
]
PASSWORD_HASHERS = ["accounts.passwords.hashers.Argon2Hasher"]
LOGIN_URL = f"{SERVICE_PATH}/login"
LOGIN_REDIRECT_URL = f"{SERVICE_PATH}/"
SESSION_ENGINE = "accounts.session_stores.session_store"
# Browsers accept this prefix only on cookies of HTTPS for exactly this host, so no other host can plant one; it allows
# no path. Under a path cookies have it, also in their names: docs/decisions/web.md#a-path-of-a-host.
_PREFIX = ("__Secure-" if SERVICE_PATH else "__Host-") if ENVIRONMENT.https else ""
_OF_PATH = SERVICE_PATH.replace("/", "_")
COOKIE_PATH = SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = LANGUAGE_COOKIE_PATH = SERVICE_PATH or "/"
SESSION_COOKIE_NAME = f"{_PREFIX}archive{_OF_PATH}_session"
SESSION_COOKIE_AGE = 7 * 86400
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = ENVIRONMENT.https
CSRF_COOKIE_NAME = f"{_PREFIX}archive{_OF_PATH}_csrf"
CSRF_COOKIE_HTTPONLY = True
CSRF_COOKIE_SAMESITE = "Lax"
DEVICE_COOKIE_NAME = f"{_PREFIX}archive{_OF_PATH}_device"
CSRF_HEADER_NAME = "HTTP_X_CSRF_TOKEN"
CSRF_FAILURE_VIEW = "archive_site.lib.http.error_responses.csrf_failure"
CSRF_TRUSTED_ORIGINS = ENVIRONMENT.trusted_origins
# Without cookies of their own.
MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
# Seconds after which a read is ended, from which on it is slow, and that a third slow one of an account has at most:
# docs/api.md#slow-reads. A probe that waits until slow reads free a thread is still answered within a second.
READ_SECONDS = 10.0
SLOW_READ_SECONDS = 0.8
THIRD_SLOW_READ_SECONDS = 2.0
# How many accounts are collected at once: docs/decisions/collection.md#the-lease.
COLLECTIONS_AT_ONCE = ENVIRONMENT.collections
# Whether administrators may name sources that are not public: docs/sources.md#addresses.
SOURCES_PRIVATE = ENVIRONMENT.sources_private
# Whether notices may go to hosts that are not public: docs/decisions/notices.md#sending-notices.
NOTIFY_PRIVATE = ENVIRONMENT.notify_private
# The address of the mail server that sends to accounts with a mail address alone.
NOTIFY_MAIL = ENVIRONMENT.notify_mail
# A file that is imported; it is never in memory as a whole.
IMPORT_MAX_BYTES = ENVIRONMENT.import_megabytes * 1024 * 1024
FILE_UPLOAD_HANDLERS = ["usage.importing.uploaded_file.LockedUpload"]
FILE_UPLOAD_TEMP_DIR = str(DATA_FOLDER.imports)

# Response headers.
if ENVIRONMENT.trusted_proxies:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
if ENVIRONMENT.https:
    SECURE_HSTS_SECONDS = 365 * 86400
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF, NONCE],
        "style-src": [SELF, NONCE],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "worker-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
PERMISSIONS_POLICY: dict[str, list[str]] = {
    feature: []
    for feature in (
        "accelerometer", "camera", "display-capture", "fullscreen", "geolocation", "gyroscope", "magnetometer",
        "microphone", "midi", "payment", "screen-wake-lock", "usb", "xr-spatial-tracking",
    )
}  # fmt: skip
PERMISSIONS_POLICY["publickey-credentials-get"] = ["self"] if ORIGIN else []

# Language and time. Instants are aware; texts are in the server's zone: docs/decisions/records.md.
LANGUAGE_CODE = "en"
# What a browser chose before the sign-in: static/js/shared/browser_choice.js.
LANGUAGE_COOKIE_NAME = f"archive{_OF_PATH}_language"
# Which archive the pages show.
ARCHIVE_COOKIE_NAME = f"archive{_OF_PATH}"
LANGUAGES = [("en", "English"), ("zh-hans", "简体中文")]
LOCALE_PATHS = [Path(__file__).with_name("locale")]
USE_I18N = True
USE_TZ = True
TIME_ZONE = ENVIRONMENT.time_zone
SERVER_ZONE = ZoneInfo(TIME_ZONE)

STATIC_URL = f"{SERVICE_PATH}/static/"
STATIC_ROOT = DATA_FOLDER.static
STATICFILES_DIRS = [RESOURCES / "static"]
# Whitenoise would let pages of all origins read the static files.
WHITENOISE_ALLOW_ALL_ORIGINS = False
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "archive_site.lib.static_files.HashedStaticFiles"
    },
}
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o700

# Without this, a log that cannot be written (a full disk, say) prints a traceback for each line.
logging.raiseExceptions = DEBUG
# The application's log, with secrets redacted: one rotated file, and warnings on the console; or all of it as lines of
# JSON on standard output (docs/decisions/audit.md#log-on-standard-output).
LOG_TO_STDOUT = ENVIRONMENT.log_to_stdout
_LOG_HANDLERS: dict[str, dict[str, Any]] = {
    "file": {
        "class": "archive_site.lib.rotated_log.RotatedLog",
        "filename": DATA_FOLDER.log,
        "maxBytes": ENVIRONMENT.log_megabytes * 1024 * 1024 // 5,
        "backupCount": 4,
        "encoding": "utf-8",
        "chmod": 0o600,
        "formatter": "line",
    },
    "console": {"class": "logging.StreamHandler", "level": "WARNING", "formatter": "line"},
    "stdout": {"class": "archive_site.lib.log_output.OutputLog", "formatter": "json"},
}
_LOG_TO = ["stdout"] if LOG_TO_STDOUT else ["file", "console"]
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {
            "()": "audit.redaction.RedactingFormatter",
            "format": "%(asctime)s %(levelname)s %(name)s: %(message)s",
            "datefmt": "%Y-%m-%d %H:%M:%S",
        },
        "json": {"()": "audit.redaction.JsonFormatter"},
    },
    "filters": {"damage": {"()": "archive_site.lib.storage.shortened_damage.ShortenedDamage"}},
    "handlers": {name: {**_LOG_HANDLERS[name], "filters": ["damage"]} for name in {*_LOG_TO, "console"}},
    "root": {"handlers": _LOG_TO, "level": "INFO"},
    "loggers": {
        # That standard output cannot be written is said on the console.
        "archive_site.lib.log_output": {"handlers": ["console"] if LOG_TO_STDOUT else []},
        "django": {"handlers": [], "level": "INFO", "propagate": True},
        # Each failure is logged once, with its event id, by lib/http/error_responses.py.
        "django.request": {"level": "CRITICAL"},
        # Anybody can send any Host header: the answer is 400, without a traceback in the log.
        "django.security.DisallowedHost": {"level": "CRITICAL"},
        "django.server": {"handlers": [], "propagate": True},
        # It names each task and each process; what the tasks did is logged by themselves.
        "django-q": {"level": "DEBUG" if DEBUG else "WARNING", "propagate": True},
    },
}
