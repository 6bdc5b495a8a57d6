"""What load balancers and supervisors ask, whatever the Host header is: docs/api.md#health."""

import os
from collections.abc import Callable, Iterator
from functools import cache

from django.conf import settings
from django.core.cache import caches
from django.db import DatabaseError, InterfaceError
from django.http import HttpRequest, HttpResponse, JsonResponse

from archive_site.lib import log_output, rotated_log
from archive_site.lib.environment import ConfigurationError
from archive_site.lib.http.api_error import ApiError
from archive_site.lib.locks import write_freeze
from archive_site.lib.storage import disk_space, engine, store_tables, store_version
from archive_site.lib.storage.data_folder import read_instance_key, read_secret_key
from archive_site.lib.storage.sql import fetch
from collection.runs import run_start

# `up` sets it for its processes: whether workers run beside the web server.
WORKERS = "ARCHIVE_RUNS_WORKERS"
_NO_STORE = {"Cache-Control": "no-store"}
# Seconds.
_KEPT = 60
# SQLite reads nothing of its file for a constant.
_FIRST_PAGE = "SELECT COUNT(*) FROM sqlite_master" if engine.IS_SQLITE else "SELECT 1"
# Names and rights are looked up without a lock on the tables; where one is missing, its right is null.
_TAKES_WRITES_AND_HAS_TABLES = """
    SELECT current_setting('transaction_read_only') = 'off' AND bool_and(COALESCE(
        has_table_privilege(to_regclass(name), 'SELECT') AND has_table_privilege(to_regclass(name), 'INSERT'), false))
    FROM unnest(%s::text[]) AS name"""

Next = Callable[[HttpRequest], HttpResponse]


def answer_probes(get_response: Next) -> Next:
    """Answer before the Host header is checked, because a probe asks by address."""
    probes = {"/healthz": healthz, "/readyz": readyz}

    def answer(request: HttpRequest) -> HttpResponse:
        return probes.get(request.path_info, get_response)(request)

    return answer


def healthz(request: HttpRequest) -> HttpResponse:
    """200 `ok` while the application and its store answer."""
    fetch(_FIRST_PAGE)
    return HttpResponse("ok\n", content_type="text/plain", headers=_NO_STORE)


def readyz(request: HttpRequest) -> HttpResponse:
    """200 if nothing is missing, else 503."""
    missing = list(_missing())
    answer = {"ready": not missing, "missing": missing}
    return JsonResponse(answer, status=503 if missing else 200, headers=_NO_STORE)


def _missing() -> Iterator[str]:
    for name, is_there in _CHECKS.items():
        try:
            lacks = "" if is_there() else name
        except (DatabaseError, InterfaceError, OSError):
            # An OSError is a data folder that is missing.
            lacks = "database"
        if lacks:
            yield lacks
        if lacks == "database":
            # Migrations and heartbeats cannot be read either.
            return


def _database_answers() -> bool:
    """Whether the store can be read and written, and has its tables: a replica of PostgreSQL only reads.

    Of an SQLite file the first row of each table is read (docs/decisions/store.md#a-damaged-or-missing-store).
    """
    if engine.IS_SQLITE:
        return bool(fetch(_first_rows()))
    [(is_whole,)] = fetch(_TAKES_WRITES_AND_HAS_TABLES, [store_tables.of_models()])
    return bool(is_whole)


@cache
def _first_rows() -> str:
    # An index could answer in place of its table.
    return f"SELECT {' + '.join(f'EXISTS (SELECT 1 FROM {name} NOT INDEXED)' for name in store_tables.of_models())}"  # noqa: S608 - names of the models


def _migrations_are_applied() -> bool:
    return not store_version.is_behind()


def _version_is_that_of_the_store() -> bool:
    return not store_version.is_newer()


def _instance_key_is_there() -> bool:
    return _is_readable(lambda: read_instance_key(settings.DATA_FOLDER))


def _secret_key_is_there() -> bool:
    return _is_readable(lambda: read_secret_key(settings.DATA_FOLDER))


def _is_readable(read: Callable[[], str]) -> bool:
    try:
        read()
    except ConfigurationError:
        return False
    return True


def _redis_answers() -> bool:
    if not settings.REDIS_URL:
        return True
    # Loaded only where it is used.
    from redis.exceptions import RedisError

    try:
        # A replica, and a Redis whose memory is full, answer reads alone.
        caches["counters"].set("readyz", 1, _KEPT)
    except RedisError:
        return False
    return True


def _writes_are_possible() -> bool:
    try:
        with write_freeze.writing():
            return True
    except ApiError:
        return False


def _log_is_written() -> bool:
    return rotated_log.failure() is None and log_output.is_written()


def _workers_are_alive() -> bool:
    return os.environ.get(WORKERS) != "1" or run_start.workers_are_alive()


# In the order of the answer.
_CHECKS: dict[str, Callable[[], bool]] = {
    "instance_key": _instance_key_is_there,
    "secret_key": _secret_key_is_there,
    "redis": _redis_answers,
    "writes": _writes_are_possible,
    "disk": disk_space.has_room,
    "log": _log_is_written,
    "database": _database_answers,
    "migrations": _migrations_are_applied,
    "version": _version_is_that_of_the_store,
    "workers": _workers_are_alive,
}
